// Maps the store's numbers of items and types to those of a model. Items added later have higher numbers and count as
// unknown.
import type { G1Model } from '../../artifact/g1-model.ts';
import { type EventNumbers, typeWeights, UNKNOWN_ITEM } from '../../history/fold-events.ts';
import type { EventStore } from '../../store/event-store.ts';
import { internedTable } from './user-directory.ts';

export async function eventNumbers({
  events,
  eventDatasetId,
  model,
  coldIndexOf,
}: {
  readonly events: EventStore;
  readonly eventDatasetId: string;
  readonly model: G1Model;
  /** place of a cold item that may be left out when seen, −1 for others */
  readonly coldIndexOf: (itemId: string) => number;
}): Promise<EventNumbers> {
  const itemIds = await internedTable(events, eventDatasetId, 'item');
  const itemOf = new Uint32Array(itemIds.length).fill(UNKNOWN_ITEM);
  for (let number = 0; number < itemOf.length; number++) {
    const itemId = itemIds.at(number)!;
    const index = model.itemIds.indexOf(itemId);
    if (index >= 0 && index < model.warmItemCount) itemOf[number] = index;
    else {
      const cold = coldIndexOf(itemId);
      if (cold >= 0) itemOf[number] = model.warmItemCount + cold;
    }
  }
  const types = await internedTable(events, eventDatasetId, 'type');
  const typeNames = Array.from({ length: types.length }, (_, type) => types.at(type)!);
  return {
    warmItemCount: model.warmItemCount,
    itemOf,
    ...typeWeights(typeNames, model.typeWeights),
    targetType: types.indexOf(model.targetEventType),
  };
}
