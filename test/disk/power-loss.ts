// `npm run test:powerloss`: records everything a store writes and syncs, and cuts the power at every place of the recording: the
// store must open, nothing acknowledged may be lost, and no model may have half a file. Then every system call fails once
// (failing-calls.ts). Needs gcc.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { seededRandom } from '../../src/domain/seeded-random.ts';
import { buildShim } from './build-shim.ts';
import { checkFolder } from './check-folder.ts';
import { failAccepting } from './failing-accept.ts';
import { failEveryCall } from './failing-calls.ts';
import { type Change, Disk, readRecording, type Survival } from './recording.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    cuts: { type: 'string', default: '400' },
    'skip-calls': { type: 'boolean', default: false },
    'call-seconds': { type: 'string', default: '60' },
  },
});
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const shim = buildShim();
const root = mkdtempSync(join(tmpdir(), 'kindred-power-'));

function record(): { changes: Change[]; folder: string; marks: string } {
  const folder = join(root, 'watched');
  const marks = join(folder, 'marks');
  const log = join(root, 'log');
  const workload = spawnSync(process.execPath, ['-e', `import('node:fs').then((fs) => fs.mkdirSync('${folder}'))`]);
  if (workload.status !== 0) throw new Error(String(workload.stderr));
  const done = spawnSync(process.execPath, [join(import.meta.dirname, 'workload.ts'), join(folder, 'data'), marks], {
    env: { ...process.env, LD_PRELOAD: shim, KINDRED_SHIM_FOLDER: folder, KINDRED_SHIM_LOG: log },
  });
  if (done.status !== 0) throw new Error(String(done.stderr));
  return { changes: readRecording(log), folder, marks: readFileSync(marks, 'utf8') };
}

async function cutThePower(): Promise<number> {
  const { changes, folder } = record();
  const writes = changes.filter(({ kind }) => kind === 'write').length;
  const syncs = changes.filter(({ kind }) => kind === 'sync').length;
  say(`recorded ${changes.length} changes: ${writes} writes, ${syncs} syncs`);
  const random = seededRandom(Number(values.seed));
  const marksInode = changes.find(({ kind, path }) => kind === 'create' && path.endsWith('/marks'))?.inode;
  const places = new Set(chosenPlaces(changes, Number(values.cuts)));
  const disk = new Disk();
  let marks = '';
  let cuts = 0;
  let broken = 0;
  for (const [place, change] of changes.entries()) {
    // The marks are what the client remembers: they do not get lost.
    if (change.inode === marksInode) marks += change.kind === 'write' ? change.bytes.toString() : '';
    else disk.apply(change);
    if (!places.has(place)) continue;
    const survival: Survival = (['nothing', 'everything', random] as const)[cuts % 3];
    disk.write(folder, survival);
    const settled = withoutInFlight(marks.split('\n').filter(Boolean));
    const wrong = await checkFolder(join(folder, 'data'), settled, { writes: cuts % 10 === 0 });
    cuts++;
    if (wrong.length === 0) continue;
    broken++;
    const kept = typeof survival === 'string' ? survival : 'some';
    say(
      `power lost after change ${place} of ${changes.length}, ${kept} of the unsynced kept: ${wrong.slice(0, 3).join('; ')}`,
    );
  }
  say(`power was cut at ${cuts} of ${changes.length} places, ${broken} broken`);
  return broken;
}

/** Around every sync and every change of a name, and between them as many as there is room for. */
function chosenPlaces(changes: readonly Change[], most: number): number[] {
  const all = changes.map((_, n) => n);
  const isEdge = (n: number) => [n, n + 1].some((at) => changes[at] && changes[at].kind !== 'write');
  const spread = (n: number) => (n * 0.6180339887498949) % 1;
  return all.sort((a, b) => Number(isEdge(b)) - Number(isEdge(a)) || spread(a) - spread(b)).slice(0, most);
}

/** A deletion that was under way may have happened: what it would delete is in doubt. */
function withoutInFlight(marks: readonly string[]): string[] {
  const last = marks.at(-1) ?? '';
  if (!last.startsWith('item ') && !last.startsWith('removed ')) return [...marks];
  const round = Number(last.split('i').at(-1));
  const removes = last.startsWith('item ') && round % 2 === 1 ? `item i${round - 1}` : null;
  const user = last.startsWith('removed ') ? `u${(round + 1) % 5}` : null;
  return marks.filter((line) => {
    if (line === removes) return false;
    if (user === null || !line.startsWith('event ')) return true;
    const [made, n] = line.slice('event e'.length).split('-').map(Number);
    return `u${(made + n) % 5}` !== user;
  });
}

const seconds = Number(values['call-seconds']);
say(`seed ${values.seed} (repeat it with --seed ${values.seed})`);
const broken =
  (await cutThePower()) +
  (values['skip-calls']
    ? 0
    : (await failEveryCall({ shim, root, random: seededRandom(Number(values.seed)), seconds, say })) +
      (await failAccepting(shim, say)));
rmSync(root, { recursive: true, force: true });
process.exitCode = broken === 0 ? 0 : 1;
