// Deletes one item after the other, asks every node for the list that it would lead, and writes it again.
import { setTimeout as delay } from 'node:timers/promises';
import { ITEMS } from '../../support/taste-project.ts';
import { listOf } from './ask.ts';
import type { ClientParts } from './client.ts';

const PAUSE_MS = 100;

export async function deleteItems(parts: ClientParts): Promise<void> {
  const { calls, items, nodes, project, stopped, pauses } = parts;
  const { item_dataset_id, project_id } = project;
  for (let round = 0; !stopped(); round++) {
    const number = (round * 7) % ITEMS;
    const item_id = `i${number}`;
    // The user with the same number has everything of its kind but this item.
    const askAll = () => Promise.all(nodes.apis.map((place) => listOf(parts, place, project_id, `u${number}`)));
    const first = { first: round };
    const { body: item } = await calls.untilAcknowledged(
      'record read',
      (api) => api.call('GET', '/get-dataset-record', { item_dataset_id, item_id }),
      first,
    );
    await calls.untilAcknowledged(
      'item deletion',
      (api) => api.call('DELETE', '/delete-dataset-items', { item_dataset_id, item_ids: [item_id] }),
      first,
    );
    items.deleted(item_id);
    await askAll();
    await delay(PAUSE_MS * pauses);
    items.writes(item_id);
    await calls.untilAcknowledged(
      'item write',
      (api) => api.call('POST', '/upsert-dataset-items', { item_dataset_id, items: [item] }),
      first,
    );
    await askAll();
    await delay(PAUSE_MS * pauses);
  }
}
