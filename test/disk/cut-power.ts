// Cuts the power in a recording. Before and after every sync and every change of a name all three outcomes are tried: of what was
// not synced nothing is kept, everything, or torn parts. Between them, in the middle of writes, places are drawn.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../../src/base/seeded-random.ts';
import type { Checked, CheckOptions } from './check-folder.ts';
import { type Change, Disk, digestOf, readRecording, type Start, startOf, writeFolder } from './recording.ts';

interface Step {
  readonly change: Change;
  /** What the client was told before the next change. */
  readonly marks: string[];
}

export interface Recording {
  /** The watched folder. */
  readonly folder: string;
  readonly start: Start;
  readonly steps: readonly Step[];
}

export interface RecordOptions {
  shim: string;
  root: string;
  /** Gets the data folder and a file for its marks, which are what the client remembers: they do not get lost. */
  script: string;
  /** Fills the data folder before. */
  prepare?: (dataDir: string) => void;
}

export function record({ shim, root, script, prepare }: RecordOptions): Recording {
  const folder = join(root, 'watched');
  const [dataDir, marks, log] = [join(folder, 'data'), join(folder, 'marks'), join(root, 'log')];
  mkdirSync(folder, { recursive: true });
  prepare?.(dataDir);
  const start = startOf(folder);
  const { status, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, script), dataDir, marks], {
    env: { ...process.env, LD_PRELOAD: shim, KINDRED_SHIM_FOLDER: folder, KINDRED_SHIM_LOG: log },
  });
  if (status !== 0) throw new Error(String(stderr));
  return { folder, start, steps: stepsOf(readRecording(log), marks) };
}

function stepsOf(changes: readonly Change[], marksFile: string): Step[] {
  const steps: Step[] = [];
  const marksInode = changes.find(({ kind, path }) => kind === 'create' && path === marksFile)?.inode;
  for (const change of changes) {
    const told = steps.at(-1)?.marks ?? [];
    if (change.inode !== marksInode) steps.push({ change, marks: [...told] });
    else if (change.kind === 'write') told.push(...change.bytes.toString().split('\n').filter(Boolean));
  }
  return steps;
}

export type Check = (dataDir: string, marks: readonly string[], options: CheckOptions) => Promise<Checked>;

export interface CutOptions {
  recording: Recording;
  seed: number;
  /** Cuts in the middle of writes. */
  between: number;
  check: Check;
  say(line: string): void;
}

export interface Cuts {
  broken: number;
  edges: number;
  /** folders that were checked; the same folder with the same marks is checked once */
  checked: number;
  rows: number;
}

const OUTCOMES = ['nothing', 'everything', 'torn'] as const;

export async function cutPower({ recording, seed, between, check, say }: CutOptions): Promise<Cuts> {
  const { folder, start, steps } = recording;
  const edges = edgesOf(recording);
  const rest = [...steps.keys()].filter((n) => !edges.has(n));
  const random = seededRandom(seed);
  const places = new Set(edges);
  for (let n = 0; n < between && rest.length > 0; n++) places.add(rest.splice(random.below(rest.length), 1)[0]);
  const disk = new Disk(start);
  const known = new Set<string>();
  const cuts = { broken: 0, edges: edges.size, checked: 0, rows: 0 };
  for (const [place, { change, marks }] of steps.entries()) {
    disk.apply(change);
    if (!places.has(place)) continue;
    for (const outcome of OUTCOMES) {
      const files = disk.after(outcome === 'torn' ? random : outcome);
      const digest = `${digestOf(files)} ${marks.length}`;
      if (known.has(digest)) continue;
      known.add(digest);
      writeFolder(folder, files);
      const { wrong, rows } = await check(join(folder, 'data'), marks, {
        writes: cuts.checked % 10 === 0,
        isPowerLost: true,
      });
      cuts.checked++;
      cuts.rows += rows;
      if (wrong.length === 0) continue;
      cuts.broken++;
      say(`power lost after change ${place} of ${steps.length} (${outcome} kept): ${wrong.slice(0, 3).join('; ')}`);
    }
  }
  return cuts;
}

/** Whether the check notices a disk that keeps nothing from the middle of the recording on, whatever is synced. */
export async function noticesLoss({ folder, start, steps }: Recording, check: Check): Promise<boolean> {
  const disk = new Disk(start);
  for (const { change } of steps.slice(0, steps.length / 2)) disk.apply(change);
  writeFolder(folder, disk.after('nothing'));
  const { wrong } = await check(join(folder, 'data'), steps.at(-1)!.marks, { writes: false, isPowerLost: true });
  return wrong.length > 0;
}

/** The places before and after each change that is more than a write. */
function edgesOf({ start, steps }: Recording): Set<number> {
  const disk = new Disk(start);
  const edges = new Set<number>();
  for (const [place, { change }] of steps.entries()) {
    if (!disk.apply(change) || change.kind === 'write') continue;
    if (place > 0) edges.add(place - 1);
    edges.add(place);
  }
  return edges;
}
