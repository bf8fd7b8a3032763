// OpenTelemetry traces, off by default. Its packages are loaded only when they are on.
import { setTracing } from '../domain/trace.ts';
import type { TracingSettings } from './opentelemetry-tracing.ts';

/** `service.name` of jobs. */
export const WORKER_NAME = 'kindred-worker';

/** Returns what ends tracing after sending what is left; null when it is off. */
export async function startTracing(settings: TracingSettings): Promise<{ stop(): Promise<void> } | null> {
  if (settings.share === 0) return null;
  const { OpenTelemetryTracing } = await import('./opentelemetry-tracing.ts');
  const tracing = new OpenTelemetryTracing(settings);
  setTracing(tracing);
  return {
    async stop() {
      setTracing(null);
      await tracing.stop();
    },
  };
}
