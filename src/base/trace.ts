// Times the steps of a call or job. Nothing is timed until tracing is set (src/observability/tracing.ts); until then a step costs
// one branch. Steps outside a trace are not timed, so that background work of the service adds no noise.

export interface TraceStart {
  readonly name: string;
  readonly kind: 'call' | 'job';
  /** The caller's `traceparent` (W3C Trace Context). */
  readonly parent?: string | undefined;
  readonly attributes?: Readonly<Record<string, string | number>>;
}

/** The trace of a running call or job. */
export interface OpenTrace {
  /** Steps of this work belong to the trace. */
  within<T>(work: () => T): T;
  /** Begins a step whose end is elsewhere in the code. */
  step(name: string): () => void;
  end(result: { failed: boolean; attributes?: Readonly<Record<string, string | number>> }): void;
}

/** A step that has ended, e.g. in another thread, with those inside it. */
export interface PastStep {
  readonly name: string;
  /** milliseconds since 1970, with fractions */
  readonly startedMs: number;
  readonly endedMs: number;
  readonly steps: readonly PastStep[];
}

export interface Tracing {
  /** Returns null if it was not sampled. */
  begin(start: TraceStart): OpenTrace | null;
  step<T>(name: string, work: () => T): T;
  /** `traceparent` for what the current step causes elsewhere; null outside a trace. */
  current(): string | null;
  /** Returns a function that adds steps which ended elsewhere to the current step; null outside a trace. */
  past(): ((steps: readonly PastStep[]) => void) | null;
}

let tracing: Tracing | null = null;

/** Sets the tracing of this thread. */
export function setTracing(next: Tracing | null): void {
  tracing = next;
}

export const isTracing = (): boolean => tracing !== null;

export function beginTrace(start: TraceStart): OpenTrace | null {
  return tracing === null ? null : tracing.begin(start);
}

/** Times a step, synchronous or not. */
export function traced<T>(name: string, work: () => T): T {
  return tracing === null ? work() : tracing.step(name, work);
}

export function currentTrace(): string | null {
  return tracing === null ? null : tracing.current();
}

export function pastSteps(): ((steps: readonly PastStep[]) => void) | null {
  return tracing === null ? null : tracing.past();
}

/** Records the steps of a thread that does not send them itself. The thread that requested the work gets them with the result. */
export class StepLog implements Tracing {
  readonly steps: PastStep[] = [];
  #inner: PastStep[] = this.steps;

  begin(): null {
    return null;
  }

  current(): null {
    return null;
  }

  past(): null {
    return null;
  }

  step<T>(name: string, work: () => T): T {
    const outer = this.#inner;
    const step = { name, startedMs: epochMs(), endedMs: 0, steps: [] };
    outer.push(step);
    this.#inner = step.steps;
    const end = (): void => {
      step.endedMs = epochMs();
      this.#inner = outer;
    };
    let result: T;
    try {
      result = work();
    } catch (error) {
      end();
      throw error;
    }
    if (result instanceof Promise) return result.finally(end) as T;
    end();
    return result;
  }
}

/** Milliseconds since 1970 on a clock that all threads share. */
export const epochMs = (): number => performance.timeOrigin + performance.now();

type Method = (...given: never[]) => unknown;

/** Times the methods of an object or class. Called only when tracing is on: otherwise they stay as they are and cost nothing. */
export function traceMethods<T extends object>(owner: T, steps: { readonly [Name in keyof T]?: string }): void {
  for (const [name, step] of Object.entries(steps) as [keyof T, string][]) {
    const method = owner[name] as Method & { isTraced?: true };
    // Several services in one process share their classes.
    if (method.isTraced) continue;
    const timed = function (this: T, ...given: never[]): unknown {
      return traced(step, () => method.apply(this, given));
    };
    Object.defineProperty(owner, name, {
      value: Object.assign(timed, { isTraced: true }),
      writable: true,
      configurable: true,
    });
  }
}
