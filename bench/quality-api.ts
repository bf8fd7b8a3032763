// One public split through the real API from end to end: events over HTTP, training job, deployment, a recommendation call for
// every user of the test file. What clients get must be as good as what `kindred evaluate` measures on the same files.
import { startServiceProcess } from '../test/support/service.ts';
import { succeed } from '../test/support/taste-project.ts';
import { evaluate, inWords, isThere, MOVIELENS_NEXT, type Quality, readLines } from './quality/splits.ts';
import { quick, report } from './report.ts';

const CUTOFF = 10;
const BATCH = 1000;
const CONNECTIONS = 4;

async function throughApi(): Promise<Quality & { seconds: Record<string, number> }> {
  const service = await startServiceProcess({ KINDRED_ROLES: 'api,worker', KINDRED_LOG_LEVEL: 'warn' });
  const seconds: Record<string, number> = {};
  let markedMs = performance.now();
  const done = (step: string): void => {
    seconds[step] = (performance.now() - markedMs) / 1000;
    markedMs = performance.now();
  };
  try {
    const { user_dataset_id } = await service.ok('POST', '/create-user-dataset', { name: 'users' });
    const { item_dataset_id } = await service.ok('POST', '/create-item-dataset', { name: 'items' });
    const { event_dataset_id } = await service.ok('POST', '/create-event-dataset', { name: 'events', num_shards: 20 });
    const events = eventsOf(readLines(MOVIELENS_NEXT.train, false));
    await inTurn(Math.ceil(events.length / BATCH), (batch) =>
      service.ok('POST', '/upsert-dataset-events', {
        event_dataset_id,
        events: events.slice(batch * BATCH, (batch + 1) * BATCH),
      }),
    );
    done('events in');
    const { project_id } = await service.ok('POST', '/create-project', {
      name: 'films',
      project_type: 'RECOMMEND_ITEMS_TO_USER',
      target_event_type: 'rating',
      user_dataset_id,
      item_dataset_id,
      event_dataset_id,
    });
    const { algorithm_id } = await service.ok('POST', '/create-algorithm', {
      project_id,
      name: 'default',
      algorithm_type: 'G1',
    });
    const trained = await succeed(service, '/submit-training-job', { project_id, algorithm_id });
    done('trained');
    const generator_model_id = trained.job_result.model_id;
    await succeed(service, '/submit-deployment-job', { project_id, generator_model_id, qps: 10_000 });
    done('deployed');
    const wanted = [...readLines(MOVIELENS_NEXT.test, false)];
    const sums = { recall: 0, ndcg: 0 };
    await inTurn(wanted.length, async (n) => {
      const [user_id, [item]] = wanted[n];
      const { results } = await service.ok('POST', '/recommend-items-to-user', { user_id, limit: CUTOFF });
      const place = results.findIndex((result: { item: { item_id: string } }) => result.item.item_id === item);
      if (place < 0) return;
      sums.recall += 1;
      sums.ndcg += 1 / Math.log2(place + 2);
    });
    done('asked');
    return { recall: sums.recall / wanted.length, ndcg: sums.ndcg / wanted.length, seconds };
  } finally {
    await service.stop();
  }
}

/** A user's place in the file is the time, as `kindred evaluate` reads it. */
function eventsOf(users: Map<string, string[]>) {
  return [...users].flatMap(([user_id, items]) =>
    items.map((item_id, ts) => ({ event_id: `${user_id}:${ts}`, user_id, item_id, ts, event_type: 'rating' })),
  );
}

async function inTurn(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (next < count) await work(next++);
    }),
  );
}

if (quick) process.stdout.write('quality-api: left out of a quick run: it takes minutes\n');
else if (isThere('quality-api', MOVIELENS_NEXT.train, MOVIELENS_NEXT.test)) {
  const api = await throughApi();
  const files = evaluate(MOVIELENS_NEXT, { cutoff: CUTOFF });
  const [low, high] = files.interval;
  const steps = Object.entries(api.seconds).map(([step, seconds]) => `${step} ${seconds.toFixed(0)} s`);
  report({
    bench: 'quality-api',
    what: 'NDCG, MovieLens-1M, next item, through the API from end to end',
    ratio: api.ndcg / files.ndcg,
    base: '`kindred evaluate` on the same files',
    figures: `${inWords(api, CUTOFF)} against ${inWords(files, CUTOFF)}; ${steps.join(', ')}`,
    bar: `within its 95% interval, ${low.toFixed(4)} to ${high.toFixed(4)}`,
    met: api.ndcg >= low && api.ndcg <= high,
  });
}
