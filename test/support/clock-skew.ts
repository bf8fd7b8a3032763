// The environment of a process whose wall clock runs ahead of (or behind) the machine's: see skewed-clock.ts.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const SKEWED_CLOCK = pathToFileURL(join(import.meta.dirname, 'skewed-clock.ts')).href;

export function clockSkewEnv(skewMs: number): Record<string, string> {
  return { NODE_OPTIONS: `--import=${SKEWED_CLOCK}`, TEST_CLOCK_SKEW_MS: String(skewMs) };
}
