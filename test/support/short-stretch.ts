// How long a thread may work at a stretch, told by the machine itself: as long as reading 6 MB of JSON takes here and now. On a
// slow or busy machine both take longer. Processor time of the thread is measured, not the clock's. A garbage collection, or a host
// that takes the processor away, can fall into any stretch: what looks long is done again, and the shortest counts.

/** Processor time of this thread, in milliseconds since it began. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

const sixMb = (): string =>
  JSON.stringify(
    Array.from({ length: 75_000 }, (_, n) => ({ item_id: `item-${n}`, attributes: { price: n / 7, words: 'ten' } })),
  );

function readingMs(): number {
  const text = sixMb();
  const before = threadMs();
  JSON.parse(text);
  return threadMs() - before;
}

let quickestMs: number | undefined;

/** As a share of the longest allowed. The machine is measured again only where it matters: it may have become slower. */
function shareOfLongest(ms: number): number {
  quickestMs ??= readingMs();
  return ms / (ms > quickestMs ? readingMs() : quickestMs);
}

const MAX_ROUNDS = 5;

/** `round` does the work from its beginning and returns its longest stretch in ms. Returns that as a share of the longest allowed. */
export async function longestStretch(round: () => number | Promise<number>, limit = 1): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY;
  for (let n = 0; n < MAX_ROUNDS && shortest > limit; n++) shortest = Math.min(shortest, shareOfLongest(await round()));
  return shortest;
}
