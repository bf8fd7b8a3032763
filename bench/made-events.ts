// Made events with a planted structure, as large as wanted: items belong to topics, users like a few of them, popularity and
// activity fall off like in real catalogues, and within a topic what follows what is not random.
import { type EventTable, EventTableBuilder } from '../src/dataset/event-table.ts';
import { randomFrom } from '../src/dataset/random.ts';

export function madeEvents(events: number, users: number, items: number, seed = 1): EventTable {
  const random = randomFrom(seed);
  const topics = Math.max(2, Math.round(Math.sqrt(items) / 2));
  const perTopic = Math.floor(items / topics);
  const mean = events / users;
  const builder = new EventTableBuilder();
  for (let user = 0; user < users; user++) {
    builder.beginUser();
    const tastes = [0, 1, 2].map(() => Math.floor(random() * topics));
    // Exponential activity around the mean, at least 3.
    const count = Math.max(3, Math.round(-Math.log(1 - random()) * (mean - 1)));
    let last = -1;
    for (let n = 0; n < count; n++) {
      let item: number;
      if (last >= 0 && random() < 0.3) item = Math.floor(last / perTopic) * perTopic + ((last + 1) % perTopic);
      else if (random() < 0.85) item = tastes[n % 3] * perTopic + Math.floor(perTopic * random() ** 2);
      else item = Math.floor(items * random() ** 3);
      last = Math.min(items - 1, item);
      builder.add(last, 0, 1, n * 3_600_000);
    }
  }
  const itemIds = Array.from({ length: items }, (_, item) => `i${item}`);
  return builder.finish({ itemIds, typeNames: ['buy'], targetType: 0 });
}
