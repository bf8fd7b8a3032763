// Collects what writers say of their steps, as a trace does.
import { type PastStep, setTracing, type Tracing } from '../../src/base/trace.ts';

export class WriteTrace implements Tracing {
  readonly told: PastStep[] = [];

  begin(): null {
    return null;
  }

  current(): null {
    return null;
  }

  step<T>(_: string, work: () => T): T {
    return work();
  }

  past(): (steps: readonly PastStep[]) => void {
    return (steps) => this.told.push(...steps);
  }
}

/** The steps of each of some writes that are sent together. */
export async function traceWrites(writes: readonly (() => Promise<unknown>)[]): Promise<PastStep[][]> {
  const traces = writes.map(() => new WriteTrace());
  const written = writes.map((write, n) => {
    setTracing(traces[n]);
    return write();
  });
  setTracing(null);
  await Promise.all(written);
  return traces.map(({ told }) => told);
}
