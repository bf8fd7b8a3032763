// Inputs for the list of a user, with nothing special about them.
import { DAY_MS } from '../../src/base/durations.ts';
import type { UsedObjective } from '../../src/domain/objective.ts';
import type { Attributes } from '../../src/domain/record.ts';
import type { SignalEvent } from '../../src/history/user-signal.ts';
import type { ListInputs } from '../../src/placements/item-list.ts';
import { TouchReader } from '../../src/placements/touch-reader.ts';
import { barredItems } from '../../src/placements/touched-items.ts';
import type { UserQuestion } from '../../src/placements/user-question.ts';
import { userSources } from '../../src/placements/user-sources.ts';
import type { Recommender } from '../../src/scoring/recommender.ts';

export interface ToyListInputs extends Partial<Omit<ListInputs, 'sources'>> {
  readonly generator: Recommender;
  readonly ranker?: Recommender | null;
  readonly objective: UsedObjective;
  /** newest first */
  readonly history: readonly SignalEvent[];
  readonly nowMs: number;
  readonly excludeSeen?: boolean | null;
  readonly excludedTypes?: readonly string[];
  readonly attributes?: Attributes;
  readonly context?: Attributes;
}

export function listInputs(toy: ToyListInputs): ListInputs {
  const { generator, ranker = null, objective, history, nowMs, excludeSeen = null, ...rest } = toy;
  const { attributes = {}, context, excludedTypes = [], ...change } = rest;
  const touches = new TouchReader(generator.catalog, generator.objectives).read(history, { nowMs, excludedTypes });
  const question: UserQuestion = {
    generator,
    ranker,
    user: { history, attributes, nowMs, ...(context && { context }) },
    nowMs,
    touches,
    touchMs: 90 * DAY_MS,
    excludeSeen,
  };
  return {
    catalog: generator.catalog,
    listed: generator.listed(),
    sources: userSources(objective, question),
    limit: 5,
    allow: null,
    boosts: [],
    diversity: null,
    pins: [],
    shown: new Set(),
    offset: 0,
    explain: false,
    isTired: null,
    tiredCount: 0,
    likeness: (item, other) => generator.likeness(item, other),
    ...change,
    exclude: barredItems({ touches, excludeSeen }).union(change.exclude ?? new Set()),
  };
}
