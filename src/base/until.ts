/** Gives what `values` gives until the signal is aborted, then throws. */
export async function* until<T>(signal: AbortSignal | undefined, values: AsyncIterable<T>): AsyncGenerator<T> {
  for await (const value of values) {
    signal?.throwIfAborted();
    yield value;
  }
}
