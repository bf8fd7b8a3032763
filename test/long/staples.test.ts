// Users who buy their own things every week, some oftener than others, and have nothing else in common: their list is led by what
// each of them buys most often. No model may find less than counting does.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { DAY_MS } from '../../src/base/durations.ts';
import { seededRandom } from '../../src/base/seeded-random.ts';
import { evaluateFiles } from '../../src/training/evaluate-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'kindred-staples-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const START = 1_700_000_000_000;
const WEEKS = 24;
const MEASURED_WEEKS = 2;
const ITEMS = 300;
const OWN_ITEMS = 40;
const LISTED = 10;

interface Purchase {
  readonly user: number;
  readonly item: number;
  readonly week: number;
  readonly ts: number;
}

function purchases(users: number): Purchase[] {
  const { next: random } = seededRandom(4);
  return Array.from({ length: users }, (_, user) => {
    const own = Array.from({ length: OWN_ITEMS }, () => Math.floor(random() ** 2 * ITEMS));
    return Array.from({ length: WEEKS }, (_, week) => {
      const ts = START + (week * 7 + (user % 7)) * DAY_MS;
      const bought = own.filter((_, n) => random() < 0.6 / (1 + n / 4));
      return bought.map((item, n): Purchase => ({ user, item, week, ts: ts + n * 1000 }));
    }).flat();
  }).flat();
}

/** NDCG of each user's items by how often they were bought. */
function byCounting(train: readonly Purchase[], later: readonly Purchase[]): number {
  const each = [...Map.groupBy(later, ({ user }) => user)].map(([user, own]) => {
    const wanted = new Set(own.map(({ item }) => item));
    const counts = Map.groupBy(
      train.filter((one) => one.user === user),
      ({ item }) => item,
    );
    const list = [...counts].sort(([i, a], [j, b]) => b.length - a.length || i - j).slice(0, LISTED);
    const gain = (place: number) => 1 / Math.log2(place + 2);
    const found = list.reduce((sum, [item], place) => sum + (wanted.has(item) ? gain(place) : 0), 0);
    return found / Array.from({ length: Math.min(LISTED, wanted.size) }, (_, n) => gain(n)).reduce((a, b) => a + b);
  });
  return each.reduce((sum, ndcg) => sum + ndcg, 0) / each.length;
}

function write(name: string, rows: readonly Purchase[]): string {
  const lines = rows.map(({ user, item, ts }) => `u${user},i${item},${ts}`);
  writeFileSync(join(folder, name), `user,item,ts\n${lines.join('\n')}\n`);
  return join(folder, name);
}

for (const users of [80, 150, 500]) {
  test(`what ${users} users buy week by week is found as well as by counting`, async () => {
    const [train, later] = [true, false].map((isTrained) =>
      purchases(users).filter(({ week }) => week < WEEKS - MEASURED_WEEKS === isTrained),
    );
    const { metrics } = await evaluateFiles({
      train: write('train.csv', train),
      test: write('test.csv', later),
      cutoffs: [LISTED],
      format: 'auto',
      reading: 'auto',
      parameters: {},
      objective: 'any',
      threads: 1,
    });
    const counted = byCounting(train, later);
    assert.ok(metrics[`ndcg@${LISTED}`] > 0.97 * counted, `${metrics[`ndcg@${LISTED}`]}, and ${counted} by counting`);
  });
}
