// What a model says of itself against what happened later, in a shop where fashions pass. What others buy in the same days
// tells much, but nobody knows next week's fashion: figures that peek at it are far too good.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { DAY_MS } from '../../src/base/durations.ts';
import { seededRandom } from '../../src/base/seeded-random.ts';
import { evaluateFiles } from '../../src/training/evaluate-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'kindred-honest-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const START = 1_700_000_000_000;
const USERS = 1500;
const WEEKS = 12;
const TRAINED_WEEKS = 10;
const PURCHASES = 5;
/** Items that come into fashion a week, one after the other, and that are in fashion at a time. */
const NEW_A_WEEK = 12;
const IN_FASHION = 15;
const TASTES = 10;
const ITEMS_OF_TASTE = 12;

/** Oldest first: four of five are in fashion at their time, the others of the user's taste. */
function purchases(seed: number): { user: number; item: string; ts: number }[] {
  const { next: random } = seededRandom(seed);
  const all = Array.from({ length: USERS * PURCHASES }, (_, n) => {
    const user = n % USERS;
    const week = random() * WEEKS;
    const item =
      random() < 0.8
        ? `f${Math.floor(week * NEW_A_WEEK + random() * IN_FASHION)}`
        : `t${user % TASTES}-${Math.floor(random() * ITEMS_OF_TASTE)}`;
    return { user, item, ts: START + week * 7 * DAY_MS };
  });
  return all.sort((a, b) => a.ts - b.ts);
}

for (const seed of [1, 2, 3]) {
  test(`figures agree with what is measured later, though fashions pass (shop ${seed})`, async () => {
    const all = purchases(seed);
    const endTs = START + TRAINED_WEEKS * 7 * DAY_MS;
    const isTrained = ({ ts }: { ts: number }) => ts < endTs;
    const bought = new Set(all.filter(isTrained).map(({ user, item }) => `${user} ${item}`));
    const later = all.filter((one) => !isTrained(one) && !bought.has(`${one.user} ${one.item}`));
    const write = (name: string, rows: typeof all) => {
      const lines = rows.map(({ user, item, ts }) => `u${user},${item},${Math.round(ts)}`);
      writeFileSync(join(folder, name), `user,item,ts\n${lines.join('\n')}\n`);
      return join(folder, name);
    };
    const train = write('train.csv', all.filter(isTrained));
    const measure = async (days: number) => {
      const within = later.filter(({ ts }) => ts < endTs + days * DAY_MS);
      const { metrics, intervals, reported } = await evaluateFiles({
        train,
        test: write('test.csv', within),
        cutoffs: [10],
        format: 'auto',
        reading: 'auto',
        parameters: {},
        objective: 'discover',
        threads: 1,
      });
      return { metrics, intervals, own: reported!.by_question!.find(({ objective }) => objective === 'discover')! };
    };
    // As long as what the model held out, which it tells.
    const { days } = (await measure(1)).own;
    const { metrics, intervals, own } = await measure(days!);
    const half = ([low, high]: readonly [number, number]) => (high - low) / 2;
    const allowed = Math.hypot(half(own.intervals.ndcg), half(intervals['ndcg@10']));
    const difference = Math.abs(own.model.ndcg - metrics['ndcg@10']);
    assert.ok(difference <= allowed, `${own.model.ndcg} reported, ${metrics['ndcg@10']} measured`);
  });
}
