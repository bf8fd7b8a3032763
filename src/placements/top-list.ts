// Top lists as placements need them: what is popular, trending or new, without a model. Who counts is behind this seam.

export const TOP_LISTS = ['popular', 'trending', 'newest'] as const;
export type TopListKind = (typeof TOP_LISTS)[number];

/** A trend is measured against the time before, so its window is shorter than what is kept. */
export const MAX_TREND_HOURS = 168;

/** Says what is wrong with the hours of a list; null if they are valid. */
export function windowProblem(by: string, hours: number | null | undefined): string | null {
  if (by !== 'trending' || (hours ?? 0) <= MAX_TREND_HOURS) return null;
  return `must be at most ${MAX_TREND_HOURS} for trending: it is compared with the time before`;
}

/** The window of a list that fills another list whose window is `hours`. */
export function windowFor(by: TopListKind, hours: number | null): number | null {
  return by === 'trending' && hours !== null ? Math.min(hours, MAX_TREND_HOURS) : hours;
}

export interface TopListRequest {
  readonly accountId: string;
  readonly projectId: string;
  readonly by: TopListKind;
  /** null: the list's own default */
  readonly windowHours: number | null;
  /** null means events of every type */
  readonly eventType: string | null;
  /** whether an item may be listed; null: every one that was not deleted */
  readonly filter: ((itemId: string) => boolean) | null;
  readonly limit: number;
}

export interface TopListEntry {
  readonly item_id: string;
  /** a count, a rise or a time: greater than 0, larger is better */
  readonly score: number;
}

export interface TopLists {
  /** Returns the best first; `limit` entries if that many allowed items exist. */
  list(request: TopListRequest): Promise<readonly TopListEntry[]>;
}
