// Asks for recommendations. Every list is held against what callers had been told before: deployments and shutdowns
// (serving-history.ts) and deleted items (item-history.ts).
import { setTimeout as delay } from 'node:timers/promises';
import type { CallResponse } from '../../support/service.ts';
import type { TimedResponse } from '../calls.ts';
import type { ApiPlace } from '../nodes.ts';
import type { ClientParts } from './client.ts';

const LIMIT = 10;

/** Asks one node again and again. */
export async function ask(parts: ClientParts, place: ApiPlace): Promise<void> {
  const { stopped, pauses, serving, nodes, project } = parts;
  for (let round = 0; !stopped(); round++) {
    const list = await listOf(parts, place, project.project_id, `u${round % 60}`);
    if (list !== null) serving.read(nodes, list, list.modelId);
    await delay(5 * pauses);
  }
}

export interface AskedList extends TimedResponse {
  /** null: no model was deployed */
  modelId: string | null;
  itemIds: string[];
}

/** One list; null: the call failed. */
export async function listOf(
  { calls, items }: Pick<ClientParts, 'calls' | 'items'>,
  place: ApiPlace,
  projectId: string,
  user_id: string,
): Promise<AskedList | null> {
  const path = `/projects/${projectId}/recommend-items-to-user`;
  const response = await calls.once(
    'recommendation',
    place,
    (api) => api.call('POST', path, { user_id, limit: LIMIT }),
    whatIsWrongWith,
  );
  if (response === null) return null;
  const { model_id = null, results = [] } = response.body;
  const itemIds = results.map(({ item }: { item: { item_id: string } }) => item.item_id);
  items.shown(itemIds, response);
  return { ...response, modelId: model_id, itemIds };
}

function whatIsWrongWith({ status, body }: CallResponse): string | null {
  // Whether nothing was deployed is another question.
  if (body?.code === 'NO_MODEL_DEPLOYED') return null;
  if (status !== 200) return `status ${status} ${JSON.stringify(body)}`;
  return body.results.length === LIMIT ? null : `a list of ${body.results.length} items`;
}
