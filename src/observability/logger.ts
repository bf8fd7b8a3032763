// Structured logs: one JSON object per line on standard output. Secrets are never logged: neither headers nor bodies are
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
    // A small buffer, flushed on exit and every second, so that a busy service does not write per line.
    destination ?? pino.destination({ dest: 1, minLength: 4096, sync: true, periodicFlush: 1000 }),
  );
}
