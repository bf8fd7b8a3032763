// Finds the items with events that are not held out. The others have none when questions are asked.
import type { HiddenOf, TrainingEvents } from './training-events.ts';

/** Returns 1 for each item with such events, else 0. */
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
