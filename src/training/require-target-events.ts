// Training needs an event of the target type. Without one the job fails with what was found instead, counted, so that the
// reader sees whether the project names the wrong type or the events are missing.

import { nearestName } from '../base/nearest-name.ts';
import type { EventNames } from '../dataset/training-events.ts';
import { JobFailure } from '../domain/job.ts';

const MAX_NAMED_TYPES = 10;

/** `counts`: the events of each type. */
export function requireTargetEvents({ typeNames, targetType }: EventNames, counts: readonly number[]): void {
  if (counts[targetType] > 0) return;

  const target = typeNames[targetType];
  const found = typeNames
    .map((name, type) => ({ name, count: counts[type] }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count);
  const wanted = target === undefined ? 'the target type' : `the target type "${target}"`;
  throw new JobFailure(
    'NO_TARGET_EVENTS',
    `No event of ${wanted} with a positive event_value was found. ${describe(found)}${hint(target, found)} At least one event of the target type is needed to train.`,
  );
}

interface TypeCount {
  readonly name: string;
  readonly count: number;
}

function describe(found: readonly TypeCount[]): string {
  if (found.length === 0) return 'The dataset has no event with a positive event_value.';
  const named = found.slice(0, MAX_NAMED_TYPES).map(({ name, count }) => `${name} (${count.toLocaleString('en')})`);
  const more = found.length > MAX_NAMED_TYPES ? ` and ${found.length - MAX_NAMED_TYPES} more types` : '';
  return `Found: ${named.join(', ')}${more}.`;
}

function hint(target: string | undefined, found: readonly TypeCount[]): string {
  const names = found.map(({ name }) => name);
  const nearest = target === undefined ? null : nearestName(target, names);
  return nearest === null ? '' : ` Did you mean "${nearest}"?`;
}
