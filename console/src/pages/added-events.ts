// Which events the playground has added to a dataset, kept in the browser's tab so that a reload does not lose the way back.

/** The most events one call deletes. */
const MAX_ADDED = 1000;

const keyOf = (datasetId: string): string => `kindred.playground.${datasetId}`;

export function addedEvents(datasetId: string): string[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(keyOf(datasetId)) ?? '[]');
    return Array.isArray(kept) ? kept.filter((id) => typeof id === 'string') : [];
  } catch {
    return [];
  }
}

/** Returns the events that were stored. */
export function rememberAdded(datasetId: string, eventIds: readonly string[]): string[] {
  const kept = eventIds.slice(-MAX_ADDED);
  try {
    sessionStorage.setItem(keyOf(datasetId), JSON.stringify(kept));
  } catch {
    // Storage is blocked: events can be undone until the visitor leaves the page.
  }
  return kept;
}
