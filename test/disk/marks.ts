// What the marks of workload.ts promise: which events, items and models must be there, and which must not.

/** id → whether it must be there, after all marks in their order. */
export interface Promised {
  events: ReadonlyMap<string, boolean>;
  items: ReadonlyMap<string, boolean>;
  models: ReadonlySet<string>;
}

/** The user of an event of the workload. */
export const userOf = (round: number, n: number): string => `u${(round + n) % 5}`;

function userOfId(eventId: string): string {
  const [round, n] = eventId.slice(1).split('-').map(Number);
  return userOf(round, n);
}

export function promisedBy(marks: readonly string[]): Promised {
  const [events, items, models] = [new Map<string, boolean>(), new Map<string, boolean>(), new Set<string>()];
  for (const [kind, id] of marks.map((line) => line.split(' '))) {
    if (kind === 'event') events.set(id, true);
    if (kind === 'item') items.set(id, true);
    if (kind === 'removed') items.set(id, false);
    if (kind === 'model') models.add(id);
    if (kind === 'forgotten') for (const event of events.keys()) if (userOfId(event) === id) events.set(event, false);
  }
  return { events, items, models };
}

/** A deletion that was under way may have happened: what it would delete is in doubt. */
export function withoutInFlight(marks: readonly string[]): string[] {
  const last = marks.at(-1) ?? '';
  if (!last.startsWith('item ') && !last.startsWith('removed ')) return [...marks];
  const round = Number(last.split('i').at(-1));
  const removes = last.startsWith('item ') && round % 2 === 1 ? `item i${round - 1}` : null;
  const user = last.startsWith('removed ') ? `u${(round + 1) % 5}` : null;
  return marks.filter((line) => {
    if (line === removes) return false;
    return user === null || !line.startsWith('event ') || userOfId(line.slice('event '.length)) !== user;
  });
}
