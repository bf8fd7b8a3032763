// What became of lists, counted the slow way: from everything that is stored in the end. Tests hold the counters against it.
import type { EventRecord } from '../../src/domain/record.ts';
import { HOUR_MS } from '../../src/store/outcome-store.ts';

export type Shown = { recommendationId: string; itemIds: string[] | null; ts: number; userId: string | null };

/** The rules once more, the slow way: from everything that is stored. */
export function expectedFigures(
  lists: readonly string[],
  events: readonly EventRecord[],
  impressions: readonly Shown[],
) {
  const figures = {
    ...{ shown: 0, clicked: 0, converted: 0, targets: 0, value: 0, value_squares: 0 },
    ...{ assisted_clicked: 0, assisted_converted: 0, assisted_targets: 0, assisted_value: 0 },
  };
  for (const id of lists) {
    for (let n = 0; n < 4; n++) {
      const item = `i${n}`;
      const impression = impressions.find((one) => one.recommendationId === id && one.itemIds!.includes(item));
      const direct = events.filter((one) => one.recommendation_id === id && one.item_id === item);
      const assisting = events.filter(
        ({ recommendation_id, item_id, user_id, ts }) =>
          impression !== undefined &&
          recommendation_id !== id &&
          item_id === item &&
          user_id === impression.userId &&
          ts >= impression.ts &&
          ts <= impression.ts + 24 * HOUR_MS,
      );
      const [targets, assistedTargets] = [direct, assisting].map((some) =>
        some.filter(({ event_type }) => event_type === 'buy'),
      );
      const sum = (some: EventRecord[], power = 1) => some.reduce((total, one) => total + one.event_value ** power, 0);
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
