// What became of lists, counted the slow way: from everything that is stored in the end. Tests hold the counters against it.
import { HOUR_MS } from '../../src/base/durations.ts';
import type { EventRecord } from '../../src/domain/record.ts';

export interface ShownItems {
  recommendationId: string;
  itemIds: readonly string[] | null;
  ts: number;
  userId: string | null;
}

type Outcome = Pick<EventRecord, 'recommendation_id' | 'item_id' | 'user_id' | 'ts' | 'event_type' | 'event_value'>;

const WINDOW_MS = 24 * HOUR_MS;

/** `buy` is the target. The first impression of an item counts. */
export function expectedFigures(
  lists: readonly string[],
  events: readonly Outcome[],
  impressions: readonly ShownItems[],
) {
  const figures = {
    shown: 0,
    clicked: 0,
    converted: 0,
    targets: 0,
    value: 0,
    value_squares: 0,
    assisted_clicked: 0,
    assisted_converted: 0,
    assisted_targets: 0,
    assisted_value: 0,
  };
  const byList = groupBy(events, ({ recommendation_id }) => recommendation_id ?? '');
  const byUser = groupBy(events, ({ user_id }) => user_id);
  const shownByList = groupBy(impressions, ({ recommendationId }) => recommendationId);
  for (const id of lists) {
    const shown = shownByList.get(id) ?? [];
    const ofList = byList.get(id) ?? [];
    for (const item of new Set([
      ...shown.flatMap(({ itemIds }) => itemIds ?? []),
      ...ofList.map((one) => one.item_id),
    ])) {
      const impression = shown.find(({ itemIds }) => itemIds!.includes(item));
      const direct = ofList.filter(({ item_id }) => item_id === item);
      const assisting = (impression ? (byUser.get(impression.userId!) ?? []) : []).filter(
        ({ recommendation_id, item_id, ts }) =>
          recommendation_id !== id && item_id === item && ts >= impression!.ts && ts <= impression!.ts + WINDOW_MS,
      );
      const [targets, assistedTargets] = [direct, assisting].map((some) =>
        some.filter(({ event_type }) => event_type === 'buy'),
      );
      figures.shown += Number(impression !== undefined);
      figures.clicked += Number(direct.length > 0);
      figures.converted += Number(targets.length > 0);
      figures.targets += targets.length;
      figures.value += sum(targets);
      figures.value_squares += sum(targets, 2);
      figures.assisted_clicked += Number(assisting.length > 0 && direct.length === 0);
      figures.assisted_converted += Number(assistedTargets.length > 0 && targets.length === 0);
      figures.assisted_targets += assistedTargets.length;
      figures.assisted_value += sum(assistedTargets);
    }
  }
  return figures;
}

const sum = (events: readonly Outcome[], power = 1): number =>
  events.reduce((total, { event_value }) => total + event_value ** power, 0);

function groupBy<T>(entries: readonly T[], keyOf: (entry: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const entry of entries) {
    const key = keyOf(entry);
    const group = groups.get(key);
    if (group) group.push(entry);
    else groups.set(key, [entry]);
  }
  return groups;
}
