// `npm test -- --times`: the processor time of each test file, with the processes it started and waited for, on Linux. Loaded
// into the process of every test file, which writes down its own figures when it ends.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';

export const TIMES_FOLDER = resolve('build/test-times');
const SHOWN = 30;
/** Of the kernel's counts of processor time. */
const TICKS_PER_SECOND = 100;

const file = process.argv[1] ?? '';
if (file.endsWith('.test.ts') && process.platform === 'linux') {
  process.on('exit', () => {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // User and system time of the process, then of its children. The fields before follow a name that may hold spaces.
    const ticks = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 16).map(Number);
    const seconds = ticks.reduce((sum, part) => sum + part, 0) / TICKS_PER_SECOND;
    const line = { file: relative(process.cwd(), file), seconds, wallSeconds: performance.now() / 1000 };
    writeFileSync(join(TIMES_FOLDER, `${basename(file)}-${process.pid}.json`), JSON.stringify(line));
  });
}

export function slowestFiles(): string {
  const times = readdirSync(TIMES_FOLDER)
    .map((name) => JSON.parse(readFileSync(join(TIMES_FOLDER, name), 'utf8')))
    .sort((a, b) => b.seconds - a.seconds);
  const total = times.reduce((sum, { seconds }) => sum + seconds, 0);
  const rows = times
    .slice(0, SHOWN)
    .map((time) => `${time.seconds.toFixed(1).padStart(7)} s (${time.wallSeconds.toFixed(0)} s wall)  ${time.file}\n`);
  return `${total.toFixed(0)} s of processor time in ${times.length} files, most in:\n${rows.join('')}`;
}
