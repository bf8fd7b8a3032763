// Runs a task over a stream with a fixed number in flight.
// Invariants: the next element is pulled only when a task slot is free (back-pressure); the first failure stops the
// pulling, lets what is in flight end, closes the source and is thrown; elements that share a key are never in flight together, so they
// end in the order of the source.

export type AnyIterable<T> = Iterable<T> | AsyncIterable<T> | ReadableStream<T>;

export interface ParallelOptions<T> {
  signal?: AbortSignal | undefined;
  /** Elements that share a key wait for each other. */
  keysOf?: (element: T) => readonly string[];
}

export async function forEachParallel<T>(
  source: AnyIterable<T>,
  parallel: number,
  task: (element: T) => Promise<void>,
  { signal, keysOf = () => [] }: ParallelOptions<T> = {},
): Promise<void> {
  const inFlight = new Set<Promise<void>>();
  /** The newest element in flight with a key. */
  const holders = new Map<string, Promise<void>>();
  let failure: { error: unknown } | undefined;
  const fail = (error: unknown) => {
    failure ??= { error };
  };
  try {
    for await (const element of iterate(source)) {
      const keys = keysOf(element);
      await Promise.all(new Set(keys.map((key) => holders.get(key))));
      if (failure || signal?.aborted) break;
      const running: Promise<void> = task(element)
        .catch(fail)
        .finally(() => {
          inFlight.delete(running);
          for (const key of keys) holders.delete(key);
        });
      inFlight.add(running);
      for (const key of keys) holders.set(key, running);
      if (inFlight.size >= parallel) await Promise.race(inFlight);
      if (failure) break;
    }
  } catch (error) {
    fail(error);
  }
  await Promise.all(inFlight);
  if (failure) throw failure.error;
  signal?.throwIfAborted();
}

/** Browsers without async iteration over streams get it here. */
export function iterate<T>(source: AnyIterable<T>): Iterable<T> | AsyncIterable<T> {
  if (Symbol.asyncIterator in source || Symbol.iterator in source) return source as Iterable<T> | AsyncIterable<T>;
  return readStream(source as ReadableStream<T>);
}

async function* readStream<T>(stream: ReadableStream<T>): AsyncGenerator<T> {
  const reader = stream.getReader();
  let ended = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      yield value;
    }
    ended = true;
  } finally {
    if (!ended) await reader.cancel().catch(() => undefined);
    reader.releaseLock();
  }
}
