// Made-up events for benchmarks: users with a few dozen events each, popular and rare items, times that rise with some
// disorder, ids built from user, item and time as the API guide recommends. The same seed gives the same events.

import { seededRandom } from '../src/base/seeded-random.ts';
import type { EventRecord } from '../src/domain/record.ts';

const START_MS = 1_700_000_000_000;

export function eventStream(total: number, { seed = 1, startMs = START_MS } = {}): (index: number) => EventRecord {
  const users = Math.max(100, Math.floor(total / 25));
  const items = 20_000;
  const random = seededRandom(seed);
  return (index) => {
    const user_id = `user-${random.below(users)}`;
    const item_id = `item-${Math.floor(random.next() ** 3 * items)}`;
    const ts = startMs + index * 1000 + random.below(60_000);
    return {
      event_id: `${user_id}:${item_id}:${ts}:${index}`,
      user_id,
      item_id,
      ts,
      event_type: random.chance(0.8) ? 'view' : 'purchase',
      event_value: 1,
      attributes: { device: random.chance(0.5) ? 'phone' : 'desktop', session: Math.floor(index / 10) },
    };
  };
}
