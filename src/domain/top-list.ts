// The top lists that there are, which need no model, and their windows.

export const TOP_LISTS = ['popular', 'trending', 'newest'] as const;
export type TopListKind = (typeof TOP_LISTS)[number];

/** The longest window of counts, in hours. */
export const MAX_WINDOW_HOURS = 30 * 24;
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
