// A visitor becomes a user: all events of `from` become events of `into`, the records become one, and `from` is gone. The record
// and up to MERGE_CHUNK events change in one transaction. More events follow in further ones, so that other writes get their
// turn: a call that is repeated after a crash continues where it stopped. An event belongs to one of the two at any moment.

import type { Dataset } from '../domain/dataset.ts';
import type { Attributes } from '../domain/record.ts';
import { MAX_ENTITY_BYTES } from '../domain/record-batch.ts';

/** Events moved in one transaction: others wait some tens of milliseconds at most. */
export const MERGE_CHUNK = 5000;

export interface UsersToMerge {
  from: string;
  into: string;
}

/** The datasets that hold the users and events of a project. */
export interface MergedDatasets {
  users: Dataset;
  events: Dataset;
}

export interface MergeResult {
  movedEvents: number;
  hadRecord: boolean;
  /** Whether anything is stored about `into` after the merge. */
  knowsInto: boolean;
}

/** The result of one transaction. 'too-large': the joined record would be too large, and nothing was changed. */
export type MergeStep = MergeResult | 'too-large';

/** Runs `step` until no event is left; null when the joined record would be too large. */
export async function mergeInSteps(step: () => Promise<MergeStep>): Promise<MergeResult | null> {
  const merged = await step();
  if (merged === 'too-large') return null;
  for (let moved = merged.movedEvents; moved === MERGE_CHUNK; ) {
    const next = await step();
    // A record of `from` that was written in between and does not fit stays, as if it had been written after the merge.
    if (next === 'too-large') break;
    moved = next.movedEvents;
    merged.movedEvents += moved;
    merged.hadRecord ||= next.hadRecord;
  }
  return merged;
}

/** Joins the attributes of both as JSON. A value of `into` wins; null is none. Returns null if they are too large together. */
export function joinAttributes(fromJson: string, intoJson: string | null): string | null {
  if (intoJson === null) return fromJson;
  const from: Attributes = JSON.parse(fromJson);
  const joined: Attributes = { ...from, ...JSON.parse(intoJson) };
  for (const name in from) joined[name] ??= from[name];
  const json = JSON.stringify(joined);
  return Buffer.byteLength(json) > MAX_ENTITY_BYTES ? null : json;
}
