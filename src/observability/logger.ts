// Structured logs: one JSON object a line on standard output. Secrets never reach a line: neither headers nor bodies are
// logged, and the redaction below catches what a careless caller might pass.
import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

const SECRET_FIELDS = ['authorization', 'apikey', 'APIKey', 'api_key', 'client_secret', 'access_token', 'password'];

export function createLogger(level: string, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.headers.${field}`]),
        censor: '[hidden]',
      },
    },
    // Small buffer, flushed on exit and every second: a busy service does not pay a write per line.
    destination ?? pino.destination({ dest: 1, minLength: 4096, sync: true, periodicFlush: 1000 }),
  );
}
