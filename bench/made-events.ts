// Made events as large as wanted, with the skew and the structure of real ones: users' activity is log-normal, items are
// popular by Zipf's law within topics that are themselves so, users like a few topics, what follows what is not random, and
// tastes drift: in each topic ever newer items take the lead.

import { seededRandom } from '../src/base/seeded-random.ts';
import { type EventTable, EventTableBuilder } from '../src/dataset/event-table.ts';

const START_MS = 1_700_000_000_000;
const SPAN_MS = 365 * 86_400_000;
const MEAN_GAP_MS = 3 * 86_400_000;
/** of the logarithm of a user's number of events */
const ACTIVITY_SIGMA = 1;
const MIN_EVENTS = 3;
const MAX_EVENTS = 2000;

export function madeEvents(events: number, users: number, items: number, seed = 1): EventTable {
  const { next: random } = seededRandom(seed);
  const exponential = (): number => -Math.log(1 - random());
  const normal = (): number => Math.sqrt(2 * exponential()) * Math.cos(2 * Math.PI * random());
  /** 0 … count − 1, each with a chance of about 1 / (rank + 1) */
  const zipf = (count: number): number => Math.min(count - 1, Math.floor((count + 1) ** random()) - 1);

  const topics = Math.max(2, Math.round(Math.sqrt(items) / 2));
  const perTopic = Math.floor(items / topics);
  const logMean = Math.log(events / users) - ACTIVITY_SIGMA ** 2 / 2;
  const builder = new EventTableBuilder();
  for (let user = 0; user < users; user++) {
    builder.beginUser();
    const tastes = [zipf(topics), zipf(topics), Math.floor(random() * topics)];
    const wished = Math.round(Math.exp(logMean + ACTIVITY_SIGMA * normal()));
    const count = Math.min(MAX_EVENTS, Math.max(MIN_EVENTS, wished));
    // Who does much does it over a longer time, as far as the year goes.
    const gapMs = Math.min(MEAN_GAP_MS, SPAN_MS / 2 / count);
    let ts = START_MS + Math.floor(random() * (SPAN_MS - count * gapMs));
    let last = -1;
    for (let n = 0; n < count; n++) {
      ts += Math.ceil(exponential() * gapMs);
      const topic = random() < 0.85 ? tastes[n % tastes.length] : zipf(topics);
      const place = topic * perTopic;
      const lead = Math.floor(((ts - START_MS) / SPAN_MS) * 0.5 * perTopic);
      if (last >= 0 && random() < 0.3) last = last - (last % perTopic) + ((last + 1) % perTopic);
      else last = place + ((zipf(perTopic) + lead) % perTopic);
      builder.add(last, 0, 1, ts);
    }
  }
  const itemIds = Array.from({ length: items }, (_, item) => `i${item}`);
  return builder.finish({ itemIds, typeNames: ['buy'], targetType: 0 });
}
