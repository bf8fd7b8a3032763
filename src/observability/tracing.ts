// OpenTelemetry traces, off by default. Its packages are loaded only when they are on.
import { type Runtime, systemRuntime } from '../base/runtime.ts';
import { setTracing } from '../base/trace.ts';
import type { TracingSettings } from './opentelemetry-tracing.ts';

/** The `service.name` of spans of jobs. */
export const WORKER_NAME = 'kindred-worker';

/** How long a service or job waits at its end for its last spans to be sent. */
const STOP_WAIT_MS = 1000;

export interface TraceLog {
  warn(fields: object, message: string): void;
}

/** Returns what ends tracing after sending what is left, and never fails; null when it is off. */
export async function startTracing(
  settings: TracingSettings,
  log: TraceLog,
  runtime: Runtime = systemRuntime,
): Promise<{ stop(): Promise<void> } | null> {
  if (settings.share === 0) return null;
  const { OpenTelemetryTracing } = await import('./opentelemetry-tracing.ts');
  const tracing = new OpenTelemetryTracing(settings);
  setTracing(tracing);
  return {
    async stop() {
      setTracing(null);
      await sendLast(tracing.stop(), log, runtime);
    },
  };
}

/** A receiver that is slow or down costs spans, not what was traced. */
async function sendLast(sent: Promise<void>, log: TraceLog, runtime: Runtime): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = runtime.after(STOP_WAIT_MS, () => late.reject(new Error('The receiver of traces is slow or down.')));
  try {
    await Promise.race([sent, late.promise]);
  } catch (error) {
    log.warn({ reason: error instanceof Error ? error.message : String(error) }, 'could not send the last spans');
  } finally {
    timer.cancel();
  }
}
