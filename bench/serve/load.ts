// Load for the serving benchmark: autocannon, every request for another user.
import autocannon, { type Result } from 'autocannon';

export interface LoadResult {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  failed: number;
  /** processor time of the serving process for one call */
  cpuUs: number;
}

export interface LoadOptions {
  url: string;
  headers: Record<string, string>;
  seconds: number;
  /** ends after this many calls instead */
  calls?: number;
  /** body of the n-th request */
  body: (n: number) => object;
  connections?: number;
}

export async function runLoad({ connections = 32, ...load }: LoadOptions): Promise<LoadResult> {
  const { url, headers, seconds, calls, body } = load;
  let n = 0;
  const cpuSecBefore = await cpuSecondsOf(url);
  const latenciesMs: number[] = [];
  const startedMs = performance.now();
  let endedMs = startedMs;
  const result = await new Promise<Result>((resolve, reject) => {
    const running = autocannon(
      {
        url,
        connections,
        ...(calls === undefined ? { duration: seconds } : { amount: calls }),
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        requests: [
          {
            setupRequest(request) {
              request.body = JSON.stringify(body(n++));
              return request;
            },
          },
        ],
      },
      (error, done) => (error ? reject(error) : resolve(done)),
    );
    running.on('response', (_client, _status, _bytes, responseMs) => {
      latenciesMs.push(responseMs);
      endedMs = performance.now();
    });
  });
  const cpuSec = (await cpuSecondsOf(url)) - cpuSecBefore;
  latenciesMs.sort((a, b) => a - b);
  return {
    perSecond: (1000 * latenciesMs.length) / (endedMs - startedMs),
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    failed: result.non2xx + result.errors + result.timeouts,
    cpuUs: (cpuSec * 1e6) / latenciesMs.length,
  };
}

/** What the process at that address has used so far, by its own account. */
export async function cpuSecondsOf(url: string): Promise<number> {
  const text = await (await fetch(new URL('/metrics', url))).text();
  return Number(/^process_cpu_seconds_total (\S+)/m.exec(text)?.[1]);
}

/** Of values in rising order. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
