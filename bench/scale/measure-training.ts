// Time and memory of training alone, size by size, with the exponents they grow by.
import { spawnSync } from 'node:child_process';
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

export function measureTraining(sizes: readonly number[]): void {
  let before: Measured | undefined;
  for (const size of sizes) {
    const now = train(size);
    tell(now, before);
    before = now;
  }
}

function train(size: number): Measured {
  const items = Math.min(ITEMS, Math.round(size / 5));
  const args = [size, Math.round(size / EVENTS_PER_USER), items, MEMORY_MB].map(String);
  const { status, stdout } = spawnSync(process.execPath, [join(import.meta.dirname, 'train-alone.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`training on ${size} events ended with ${status}`);
  return JSON.parse(stdout) as Measured;
}

function tell(now: Measured, before: Measured | undefined): void {
  const millions = (events: number) => `${(events / 1e6).toPrecision(3)} M events`;
  const isBarSize = Math.abs(now.events / BAR.events - 1) < 0.05;
  const grown = (what: string, of: (measured: Measured) => number, figures: string, most: number): void => {
    const ratio = before ? of(now) / of(before) : null;
    const exponent = ratio === null ? null : Math.log(ratio) / Math.log(now.events / before!.events);
    const bars = [
      ...(exponent === null ? [] : [{ bar: `exponent at most ${MOST_EXPONENT}`, met: exponent <= MOST_EXPONENT }]),
      ...(isBarSize ? [{ bar: `at most ${most}`, met: of(now) <= most }] : []),
    ];
    report({
      ...{
        bench: 'scale',
        what: `${what}, ${millions(now.events)}`,
        ratio,
        base: before ? millions(before.events) : '',
      },
      figures: exponent === null ? figures : `${figures}; exponent ${exponent.toFixed(2)}`,
      ...(bars.length > 0 && { bar: bars.map(({ bar }) => bar).join(', '), met: bars.every(({ met }) => met) }),
    });
  };
  const phases = Object.entries(now.phases).map(([phase, seconds]) => `${phase} ${seconds.toFixed(0)}`);
  grown(
    `seconds of training alone, ${now.users} users with ${now.items} items`,
    ({ seconds }) => seconds,
    `${now.seconds.toFixed(0)} s (${phases.join(', ')}), processor ${now.processorSeconds.toFixed(0)} s`,
    BAR.seconds,
  );
  grown('megabytes of training alone', ({ peakMb }) => peakMb, `${now.peakMb} MB`, MEMORY_MB);
}
