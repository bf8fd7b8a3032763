// Tests which questions choose an expert's settings.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { DAY_MS } from '../base/durations.ts';
import { eventFacts } from '../dataset/event-facts.ts';
import { type EventTable, EventTableBuilder } from '../dataset/event-table.ts';
import { buildHistories } from '../dataset/history-blocks.ts';
import { heldEvents } from '../dataset/training-events.ts';
import { KernelPool } from '../kernels/kernel-pool.ts';
import { plainRules } from './choose-rules.ts';
import { ExpertForge } from './expert-forge.ts';
import { bestPopularity, type GridInput, popularityHalfLives } from './expert-grids.ts';
import type { ExpertSpec } from './expert-spec.ts';
import { ExpertTrials } from './expert-trials.ts';
import { gatherJudges } from './judges.ts';
import { TrainingClock } from './training-clock.ts';

const USERS = 400;
const START_MS = 1_700_000_000_000;
const OLD = 10;
const ALL_TIME: ExpertSpec = { family: 'popularity', half_life_days: null };
const NEWEST: ExpertSpec = { family: 'popularity', half_life_days: 2 };

const pool = new KernelPool(1);
after(() => pool.close());

/** Items 0 to 9 sell for a hundred days; 10 to 19 in the last ten days only, there as much as the others. */
function fashions(): EventTable {
  const builder = new EventTableBuilder();
  for (let user = 0; user < USERS; user++) {
    builder.beginUser();
    const item = user % OLD;
    builder.add(item, 0, 1, START_MS + (user % 90) * DAY_MS);
    builder.add(
      user % 2 === 0 ? OLD + ((user / 2) % OLD) : (item + 7) % OLD,
      0,
      1,
      START_MS + (90 + (user % 10)) * DAY_MS,
    );
  }
  const itemIds = Array.from({ length: 2 * OLD }, (_, item) => `i${item}`);
  return builder.finish({ itemIds, typeNames: ['buy'], targetType: 0 });
}

async function withTrials<T>(
  run: (trials: ExpertTrials, grid: GridInput, forge: ExpertForge) => Promise<T>,
): Promise<T> {
  const table = fashions();
  const events = heldEvents(table);
  const facts = await eventFacts(events);
  const rules = plainRules(table, {}, facts.ordinaryValue);
  const mark = pool.memory.mark();
  await using histories = await buildHistories(pool.memory, table, rules);
  const forge = new ExpertForge(pool, {
    counted: { events, nowTs: facts.usualNewestTs, ordinaryValue: 1, hiddenOf: null },
    histories,
    seed: 1,
    gammas: [0.5, 1] as const,
    historyCap: rules.historyCap,
  });
  // Most questions are asked before the cut, when what became popular later is known already and is what users turned
  // to. After the cut the fashion is over.
  const questions = Array.from({ length: 300 }, (_, user) => ({
    user,
    end: table.userOffsets[user],
    targets: user < 200 ? [OLD + (user % OLD)] : [user % OLD],
    isEarlier: user < 200,
  }));
  const source = { table, rules, objective: 'any', gapMs: DAY_MS, hidden: null } as const;
  const judges = gatherJudges(pool.memory, source, questions);
  const isEarlier = questions.map((question) => question.isEarlier);
  const trials = new ExpertTrials(pool, forge, { judges, cutoff: 10, isEarlier }, new TrainingClock());
  const halfLives = popularityHalfLives({}, facts, true);
  const grid = { halfLives, histories, parameters: {}, ordered: true, asked: 'many', trusted: true } as const;
  const result = await run(trials, grid, forge);
  pool.memory.release(mark);
  return result;
}

test('how fast popularity fades is judged by questions after the cut alone: earlier ones know what others did later', async () => {
  const chosen = await withTrials((trials, grid, forge) => bestPopularity(grid, forge, trials));
  const isSlow = chosen.family === 'popularity' && (chosen.half_life_days === null || chosen.half_life_days >= 90);
  assert.ok(isSlow, 'the fashion of the last ten days comes after what sells for longer');
  const byAll = await withTrials((trials) => trials.clearlyBest([ALL_TIME, NEWEST], 'all'));
  assert.deepEqual(byAll, NEWEST, 'the earlier questions would have chosen what is newest');
});

test('what finds clearly less than the best is left out, and what finds as much is kept', async () => {
  const almostNewest: ExpertSpec = { family: 'popularity', half_life_days: 2.1 };
  await withTrials(async (trials) => {
    const tried = await trials.bestOf([ALL_TIME, NEWEST, almostNewest], 3);
    assert.deepEqual(new Set(trials.withoutPoor(tried)), new Set([NEWEST, almostNewest]));
    assert.deepEqual(trials.withoutPoor([ALL_TIME]), [ALL_TIME], 'one alone is its own best');
  });
});
