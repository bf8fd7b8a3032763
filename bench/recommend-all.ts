// Recommendation jobs: the best 20 of 20,000 items for every user, with the ranker that most trained models have.
//   node bench/recommend-all.ts [--quick] [--users N] [--items N] [--new-items N]       default: 200,000 users
// A million users take some minutes: --users 1000000
import { rm } from 'node:fs/promises';
import { recommend } from '../src/jobs/handlers/recommendation.ts';
import type { JobContext } from '../src/jobs/job-handler.ts';
import { madeProject } from './insight/made-project.ts';
import { numberOf, quick, report } from './report.ts';

const LIMIT = 20;
/** A million users in a minute on 2 cores. */
const USERS_PER_SECOND = 1_000_000 / 60;
const users = numberOf('--users') ?? (quick ? 5000 : 200_000);
const items = numberOf('--items') ?? (quick ? 5000 : 20_000);
/** Items without events, which most catalogs have some of. */
const newItems = numberOf('--new-items') ?? 0;
const eventsPerUser = 30;

const JOB = {
  ranker_model_id: null,
  model_given: true,
  placement: null,
  users: { all: true },
  limit: LIMIT,
  objective: 'auto',
  filter_query: null,
  filter_params: {},
  exclude_event_types: [],
  attributes: [],
  destination: null,
};

async function measure(hasRanker: boolean, formats: readonly string[]): Promise<void> {
  const made = await madeProject({ users, items, newItems, eventsPerUser, stored: 'planted', hasRanker });
  try {
    for (const format of formats) {
      const run = await made.run('RECOMMENDATION', { ...JOB, format });
      const context = { ...run, config: { dataDir: made.dataDir } } as unknown as JobContext;
      const before = process.cpuUsage();
      const startedMs = performance.now();
      await recommend(context);
      const seconds = (performance.now() - startedMs) / 1000;
      const { user, system } = process.cpuUsage(before);
      const cpuMicros = (user + system) / users;
      await rm(run.scratchDir, { recursive: true, force: true });
      report({
        bench: 'recommend-all',
        what: `a recommendation job, top ${LIMIT} of ${items + newItems} items (${newItems} without events) for ${users} users with ${eventsPerUser} events, ${format}${hasRanker ? '' : ', without a ranker'}`,
        ratio: users / seconds / USERS_PER_SECOND,
        base: '1 M users per minute',
        figures: `${Math.round(users / seconds)} users/s, ${seconds.toFixed(1)} s, ${cpuMicros.toFixed(0)} µs of processor time per user, peak memory of the process ${(process.resourceUsage().maxRSS / 2 ** 20).toFixed(2)} GiB`,
        bar: 'at least 1 on 2 cores',
        met: users / seconds >= USERS_PER_SECOND,
      });
    }
  } finally {
    await made.close();
  }
}

await measure(true, ['jsonl', 'parquet']);
await measure(false, ['jsonl']);
