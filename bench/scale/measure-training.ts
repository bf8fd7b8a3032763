// Time and memory of training alone, size by size, with the exponents they grow by. What takes time is named by processor time, which
// a busy machine does not change. Made events are files of a folder, removed in the end unless it is given.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { report } from '../report.ts';

const EVENTS_PER_USER = 20;
const ITEMS = 200_000;
const MEMORY_MB = 8000;
const MOST_EXPONENT = 1.05;
/** The size that has a bar of its own. */
const BAR = { events: 100e6, seconds: 1200 };

interface Measured {
  events: number;
  users: number;
  items: number;
  seconds: number;
  processorSeconds: number;
  peakMb: number;
  phases: Record<string, number>;
}

export interface TrainingOptions {
  /** for the files of made events; those that are there are used again */
  readonly keep?: string | undefined;
  /** prints each step of a training as it ends */
  readonly steps?: boolean | undefined;
}

export function measureTraining(sizes: readonly number[], { keep, steps }: TrainingOptions): void {
  const folder = keep ?? mkdtempSync(join(tmpdir(), 'kindred-made-'));
  mkdirSync(folder, { recursive: true });
  let before: Measured | undefined;
  try {
    for (const size of sizes) {
      const now = train(keptEvents(folder, size), steps ? ['--steps'] : []);
      tell(now, before);
      before = now;
    }
  } finally {
    if (keep === undefined) rmSync(folder, { recursive: true });
  }
}

function train(file: string, flags: readonly string[]): Measured {
  return JSON.parse(run('train-alone.ts', [file, String(MEMORY_MB), ...flags])) as Measured;
}

/** The file of made events of this size. */
function keptEvents(folder: string, events: number): string {
  const [users, items] = [Math.round(events / EVENTS_PER_USER), Math.min(ITEMS, Math.round(events / 5))];
  const file = join(folder, `${events}-${users}-${items}`);
  if (!existsSync(file)) run('kept-events.ts', [file, ...[events, users, items].map(String)]);
  return file;
}

function run(program: string, args: readonly string[]): string {
  const { status, signal, stdout } = spawnSync(process.execPath, [join(import.meta.dirname, program), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${signal ?? status}`);
  return stdout;
}

function tell(now: Measured, before: Measured | undefined): void {
  const millions = (events: number) => `${(events / 1e6).toPrecision(3)} M events`;
  const isBarSize = Math.abs(now.events / BAR.events - 1) < 0.05;
  const grown = (what: string, of: (measured: Measured) => number, figures: string, most: number): void => {
    const ratio = before ? of(now) / of(before) : null;
    const exponent = ratio === null ? null : Math.log(ratio) / Math.log(now.events / before!.events);
    const bars = [
      ...(exponent === null ? [] : [{ bar: `exponent at most ${MOST_EXPONENT}`, met: exponent <= MOST_EXPONENT }]),
      ...(isBarSize && Number.isFinite(most) ? [{ bar: `at most ${most}`, met: of(now) <= most }] : []),
    ];
    report({
      bench: 'scale',
      what: `${what}, ${millions(now.events)}`,
      ratio,
      base: before ? millions(before.events) : '',
      figures: exponent === null ? figures : `${figures}; exponent ${exponent.toFixed(2)}`,
      ...(bars.length > 0 && { bar: bars.map(({ bar }) => bar).join(', '), met: bars.every(({ met }) => met) }),
    });
  };
  const phases = Object.entries(now.phases).map(([phase, seconds]) => `${phase} ${seconds.toFixed(0)}`);
  const processor = `processor ${now.processorSeconds.toFixed(0)} s (${phases.join(', ')})`;
  grown(
    `seconds of training alone, ${now.users} users with ${now.items} items`,
    ({ seconds }) => seconds,
    `${now.seconds.toFixed(0)} s, ${processor}`,
    BAR.seconds,
  );
  grown(
    'processor seconds of training alone',
    ({ processorSeconds }) => processorSeconds,
    processor,
    Number.POSITIVE_INFINITY,
  );
  grown('megabytes of training alone', ({ peakMb }) => peakMb, `${now.peakMb} MB`, MEMORY_MB);
}
