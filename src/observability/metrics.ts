// Prometheus metrics, served at /metrics: requests, records stored, process metrics, and what other parts add.
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { cacheFigures } from '../base/bounded-cache.ts';
import { RouteFigures, renderRequestFigures } from './request-figures.ts';

export interface Metrics {
  /** Lets other parts register metrics of their own. */
  readonly registry: Registry;
  /** Records stored and rejected by upsert calls. */
  readonly recordsStored: Counter<'kind'>;
  readonly recordsFailed: Counter<'kind' | 'code'>;
  forRoute(method: string, route: string): RouteFigures;
  /** A value read when scraped, e.g. the length of a queue. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void;
  /** Values of one metric with labels, read when scraped. */
  gauges(name: string, help: string, labelNames: readonly string[], read: () => Promise<LabeledFigure[]>): void;
  text(): Promise<string>;
}

export interface LabeledFigure {
  labels: Record<string, string>;
  value: number;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const routes: RouteFigures[] = [];
  const metrics: Metrics = {
    registry,
    recordsStored: new Counter({
      name: 'kindred_records_stored_total',
      help: 'Records stored by upsert calls, by kind.',
      labelNames: ['kind'],
      registers: [registry],
    }),
    recordsFailed: new Counter({
      name: 'kindred_records_failed_total',
      help: 'Records rejected by upsert calls, by kind and reason.',
      labelNames: ['kind', 'code'],
      registers: [registry],
    }),
    forRoute(method, route) {
      const figures = new RouteFigures(method, route);
      routes.push(figures);
      return figures;
    },
    gauge(name, help, read) {
      new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          this.set(await read());
        },
      });
    },
    gauges(name, help, labelNames, read) {
      new Gauge({
        name,
        help,
        labelNames: [...labelNames],
        registers: [registry],
        async collect() {
          const figures = await read();
          this.reset();
          for (const { labels, value } of figures) this.set(labels, value);
        },
      });
    },
    text: async () => `${await registry.metrics()}\n${renderRequestFigures(routes)}`,
  };
  addCacheFigures(metrics);
  return metrics;
}

function addCacheFigures(metrics: Metrics): void {
  const add = (name: string, help: string, figure: 'bytes' | 'maxBytes' | 'entries'): void =>
    metrics.gauges(name, help, ['cache'], async () =>
      cacheFigures().map((cache) => ({ labels: { cache: cache.name }, value: cache[figure] })),
    );
  add('kindred_cache_bytes', 'Memory of caches, including keys.', 'bytes');
  add('kindred_cache_limit_bytes', 'Memory limit of caches.', 'maxBytes');
  add('kindred_cache_entries', 'Cached entries.', 'entries');
}
