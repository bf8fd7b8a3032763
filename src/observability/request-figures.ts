// Request counts and latencies per route, in plain arrays and rendered as Prometheus text when scraped: the recommendation
// call cannot afford label hashing on every response.

const BOUNDS_SEC = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const REQUESTS = 'kindred_http_requests_total';
const DURATION = 'kindred_http_request_duration_seconds';

export class RouteFigures {
  readonly labels: string;
  readonly #byStatus = new Map<number, number>();
  /** Bucket i counts durations ≤ BOUNDS_SEC[i]; the last one counts the rest. Not cumulative. */
  readonly #buckets = new Float64Array(BOUNDS_SEC.length + 1);
  #sumSec = 0;

  constructor(method: string, route: string) {
    this.labels = `method="${method}",route="${route}"`;
  }

  observe(status: number, seconds: number): void {
    this.#byStatus.set(status, (this.#byStatus.get(status) ?? 0) + 1);
    this.#sumSec += seconds;
    let bucket = 0;
    while (bucket < BOUNDS_SEC.length && seconds > BOUNDS_SEC[bucket]) bucket++;
    this.#buckets[bucket]++;
  }

  requestLines(): string[] {
    return [...this.#byStatus].map(([status, count]) => `${REQUESTS}{${this.labels},status="${status}"} ${count}`);
  }

  durationLines(): string[] {
    let count = 0;
    const lines = BOUNDS_SEC.map((bound, index) => {
      count += this.#buckets[index];
      return `${DURATION}_bucket{${this.labels},le="${bound}"} ${count}`;
    });
    count += this.#buckets[BOUNDS_SEC.length];
    if (count === 0) return [];
    lines.push(`${DURATION}_bucket{${this.labels},le="+Inf"} ${count}`);
    lines.push(`${DURATION}_sum{${this.labels}} ${this.#sumSec}`, `${DURATION}_count{${this.labels}} ${count}`);
    return lines;
  }
}

export function renderRequestFigures(routes: readonly RouteFigures[]): string {
  return [
    `# HELP ${REQUESTS} HTTP requests served, by route and status.`,
    `# TYPE ${REQUESTS} counter`,
    ...routes.flatMap((route) => route.requestLines()),
    `# HELP ${DURATION} Seconds from the head of the request to the end of the response.`,
    `# TYPE ${DURATION} histogram`,
    ...routes.flatMap((route) => route.durationLines()),
    '',
  ].join('\n');
}
