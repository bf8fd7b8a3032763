// What a release returned to reading calls, recorded when it was kept and compared after an upgrade. A later release may add
// fields and entries; what was there must read the same.
import assert from 'node:assert/strict';
import type { Kindred } from '../../src/client/index.ts';
import { BASE_URL_MARK, type KeptAnswer, type KeptIds } from './kept-release.ts';

export type KeptCall = Omit<KeptAnswer, 'answer'>;
type Clients = Record<KeptAnswer['account'], Kindred>;

export function keptCalls(ids: KeptIds): KeptCall[] {
  const { user_dataset_id, item_dataset_id, event_dataset_id, second_item_dataset_id, project_id } = ids;
  const ofShop: [KeptCall['path'], KeptCall['request']][] = [
    ['/get-account', {}],
    ['/list-api-keys', {}],
    ['/list-user-datasets', {}],
    ['/list-item-datasets', {}],
    ['/list-event-datasets', {}],
    ['/get-user-dataset', { user_dataset_id }],
    ['/get-item-dataset', { item_dataset_id }],
    ['/get-event-dataset', { event_dataset_id }],
    ['/get-dataset-record', { user_dataset_id, user_id: 'western-fan-07' }],
    ['/get-dataset-record', { item_dataset_id, item_id: 'horror-13' }],
    ['/list-dataset-records', { user_dataset_id, page_size: 3 }],
    ['/list-dataset-records', { item_dataset_id, page_size: 3 }],
    ['/list-dataset-records', { event_dataset_id, user_id: 'comedy-fan-04', page_size: 1000 }],
    ['/get-event-statistics', { event_dataset_id, buckets: 10 }],
    ['/list-projects', {}],
    ['/get-project', { project_id }],
    ['/list-algorithms', { project_id }],
    ['/get-algorithm', { project_id, algorithm_id: ids.algorithm_id }],
    ['/list-models', { project_id }],
    ['/get-model', { project_id, model_id: ids.model_id }],
    ['/get-model', { project_id, model_id: ids.other_model_id }],
    ['/get-deployment', { project_id }],
    ['/list-jobs', {}],
    ['/list-jobs', { project_id: ids.project_without_target, job_status: 'FAILED' }],
    ['/get-job', { project_id, job_id: ids.querying_job_id }],
    ['/get-job', { project_id, job_id: ids.clustering_job_id }],
  ];
  const ofSecond: typeof ofShop = [
    ['/get-account', {}],
    ['/list-item-datasets', {}],
    ['/list-projects', {}],
    ['/list-dataset-records', { item_dataset_id: second_item_dataset_id }],
  ];
  return [
    ...ofShop.map(([path, request]) => ({ account: 'default' as const, path, request })),
    ...ofSecond.map(([path, request]) => ({ account: 'second' as const, path, request })),
  ];
}

export async function recordAnswers(clients: Clients, calls: readonly KeptCall[]): Promise<KeptAnswer[]> {
  const answers: KeptAnswer[] = [];
  for (const call of calls) answers.push({ ...call, answer: await answerOf(clients, call) });
  return answers;
}

/** Makes the same call again and checks that everything the release returned is in the response. */
export async function assertReadsTheSame(clients: Clients, kept: KeptAnswer): Promise<void> {
  const now = await answerOf(clients, kept);
  const name = `${kept.path} ${JSON.stringify(kept.request)}`;
  assert.partialDeepStrictEqual(stable(now), stable(kept.answer), name);
  const [before, token] = [kept.answer, now].map((answer) => (answer as { next_page_token?: string }).next_page_token);
  if (!before || !token) return;
  const pageAfter = (page_token: string) => answerOf(clients, { ...kept, request: { ...kept.request, page_token } });
  assert.deepEqual(await pageAfter(before), await pageAfter(token), `${name}: the page after a token of the release`);
}

async function answerOf(clients: Clients, { account, path, request }: KeptCall): Promise<unknown> {
  const client = clients[account];
  const answer = JSON.stringify(await client.call(path, request as never));
  return JSON.parse(answer.replaceAll(client.baseUrl, BASE_URL_MARK));
}

/** Free to change: names of parameters, facts about a training and its progress, and what is computed at each call. */
const FREE = new Set(['algorithm_parameters', 'training', 'progress', 'inferred_attribute_schema', 'over_time']);

function stable(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer), (key, value) => {
    // How a token is written is free, whether there is one is not.
    if (key === 'next_page_token' && value !== null) return 'a token';
    return FREE.has(key) ? undefined : value;
  });
}
