// Which items have events that are not held out: the others have none when questions are asked.
import type { HiddenOf, TrainingEvents } from './training-events.ts';

/** By item, 1: it has some. */
export async function itemsWithEvents(
  events: Pick<TrainingEvents, 'itemCount' | 'parts'>,
  hiddenOf: HiddenOf | null,
): Promise<Uint8Array> {
  const has = new Uint8Array(events.itemCount);
  for await (const part of events.parts()) {
    const hidden = hiddenOf?.(part) ?? null;
    for (let event = 0; event < part.length; event++) {
      if (hidden === null || hidden[event] === 0) has[part.item[event]] = 1;
    }
  }
  return has;
}
