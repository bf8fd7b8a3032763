// Tracing with the packages of OpenTelemetry: spans are sent in batches by OTLP over HTTP to OTEL_EXPORTER_OTLP_ENDPOINT. A receiver that is
// down or slow costs spans, not calls: the queue is bounded, and what does not fit is dropped.
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Attributes, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { OpenTrace, PastStep, TraceStart, Tracing } from '../base/trace.ts';

export interface TracingSettings {
  /** Share of the calls without a `traceparent` that are traced; 0 turns tracing off. */
  share: number;
  /** `service.name`, unless OTEL_SERVICE_NAME says another. */
  serviceName: string;
  version: string;
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const EXPORT_TIMEOUT_MS = 5_000;

export class OpenTelemetryTracing implements Tracing {
  readonly #provider: TracerProvider;
  readonly #tracer: ReturnType<TracerProvider['getTracer']>;
  readonly #spans = new AsyncLocalStorage<Span>();

  constructor({ share, serviceName, version }: TracingSettings) {
    const named = resourceFromAttributes({
      'service.name': process.env.OTEL_SERVICE_NAME || serviceName,
      'service.version': version,
    });
    this.#provider = new TracerProvider({
      resource: defaultResource().merge(named),
      sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
      spanProcessors: [
        new BatchSpanProcessor({ exporter: new OTLPTraceExporter(), exportTimeoutMillis: EXPORT_TIMEOUT_MS }),
      ],
    });
    this.#tracer = this.#provider.getTracer('kindred', version);
  }

  begin({ name, kind, parent, attributes }: TraceStart): OpenTrace | null {
    const span = this.#tracer.startSpan(
      name,
      { kind: kind === 'call' ? SpanKind.SERVER : SpanKind.INTERNAL, attributes: { ...attributes } },
      contextOf(parent),
    );
    if (!span.isRecording()) return null;
    return {
      within: (work) => this.#spans.run(span, work),
      step: (step) => {
        const child = this.#child(step, span);
        return () => child.end();
      },
      end: ({ failed, attributes: found }) => {
        if (found) span.setAttributes(found as Attributes);
        if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  }

  step<T>(name: string, work: () => T): T {
    const parent = this.#spans.getStore();
    if (parent === undefined) return work();
    const span = this.#child(name, parent);
    let result: T;
    try {
      result = this.#spans.run(span, work);
    } catch (error) {
      fail(span);
      throw error;
    }
    if (!(result instanceof Promise)) span.end();
    else
      result.then(
        () => span.end(),
        () => fail(span),
      );
    return result;
  }

  current(): string | null {
    const span = this.#spans.getStore();
    if (span === undefined) return null;
    const { traceId, spanId } = span.spanContext();
    return `00-${traceId}-${spanId}-01`;
  }

  past(): ((steps: readonly PastStep[]) => void) | null {
    const parent = this.#spans.getStore();
    return parent === undefined ? null : (steps) => this.#addPast(steps, parent);
  }

  stop(): Promise<void> {
    return this.#provider.shutdown();
  }

  #addPast(steps: readonly PastStep[], parent: Span): void {
    for (const { name, startedMs, endedMs, steps: inner } of steps) {
      const span = this.#tracer.startSpan(name, { startTime: startedMs }, trace.setSpan(ROOT_CONTEXT, parent));
      this.#addPast(inner, span);
      span.end(endedMs);
    }
  }

  #child(name: string, parent: Span): Span {
    return this.#tracer.startSpan(name, {}, trace.setSpan(ROOT_CONTEXT, parent));
  }
}

/** Marks the span as failed, without the error's message, which may hold data that a client sent. */
function fail(span: Span): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

function contextOf(traceparent: string | undefined) {
  const match = TRACEPARENT.exec(traceparent ?? '');
  if (!match) return ROOT_CONTEXT;
  const [, traceId, spanId, flags] = match;
  const remote = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return trace.setSpanContext(ROOT_CONTEXT, remote);
}
