// Writes batch after batch of events of its own users. Now and then all events of one of them are deleted, or become another's.
import { setTimeout as delay } from 'node:timers/promises';
import type { ClientParts } from './client.ts';

const BATCH = 50;
const USERS = 7;

export async function writeEvents(parts: ClientParts, client: number): Promise<void> {
  const { calls, project, ledger, stopped, pauses } = parts;
  const { event_dataset_id, project_id } = project;
  const userOf = (round: number): string => `soak-${client}-${round % USERS}`;
  for (let round = 0; !stopped(); round++) {
    const user_id = userOf(round);
    const events = Array.from({ length: BATCH }, (_, n) => ({
      event_id: `soak-${client}-${round}-${n}`,
      user_id,
      item_id: `i${(client + round * BATCH + n) % 60}`,
      ts: 1_710_000_000_000 + round * 1000 + n,
      event_type: 'view',
    }));
    const first = { first: round };
    const upsert = { event_dataset_id, events };
    const { body } = await calls.untilAcknowledged(
      'event write',
      (api) => api.call('POST', '/upsert-dataset-events', upsert),
      first,
    );
    if (body.failed_ids.length > 0) ledger.complain(`upsert refused ${JSON.stringify(body.failures)}`);
    ledger.stored(body.succeed_ids, user_id);
    if (round % 5 === 4) {
      await calls.untilAcknowledged(
        'event deletion',
        (api) => api.call('DELETE', '/delete-dataset-user-events', { event_dataset_id, user_id }),
        first,
      );
      ledger.userDeleted(user_id);
    }
    if (round % 5 === 2) {
      const merge = { project_id, from_user_id: user_id, into_user_id: userOf(round + 1) };
      await calls.untilAcknowledged('user merge', (api) => api.call('POST', '/merge-users', merge), first);
      ledger.userMerged(user_id, merge.into_user_id);
    }
    await delay(20 * pauses);
  }
}
