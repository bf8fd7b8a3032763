// `npm run test:powerloss`: records everything a store writes and syncs, and cuts the power in the recording: the store must open,
// nothing acknowledged may be lost, and no model may have half a file. Then every system call fails once (failing-calls.ts), also
// those of a whole service (failing-service.ts). Needs gcc.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '../../src/base/seeded-random.ts';
import { scriptOptions } from '../support/script-options.ts';
import { checkFolder } from './check-folder.ts';
import { type Check, cutPower, noticesLoss, record } from './cut-power.ts';
import { failAccepting } from './failing-accept.ts';
import { failEveryCall } from './failing-calls.ts';
import { failTheService } from './failing-service.ts';
import { loseUpgrades } from './lose-upgrade.ts';
import { withoutInFlight } from './marks.ts';
import { buildShim } from './shim.ts';

const DAY_MS = 86_400_000;
/** Other places every day. */
const seedOfToday = Math.floor(Date.now() / DAY_MS);

const { values } = scriptOptions({
  usage: 'npm run test:powerloss -- --seed 7',
  options: {
    seed: { type: 'string', default: String(seedOfToday), help: 'which places are tried; another one every day' },
    cuts: { type: 'string', default: '300', help: 'number of power cuts in the middle of writes' },
    'skip-calls': { type: 'boolean', default: false, help: 'cut the power alone, and let no system call fail' },
    'call-seconds': { type: 'string', default: '60', help: 'how long system calls of a store fail' },
    'service-seconds': { type: 'string', default: '30', help: 'how long system calls of a service fail' },
  },
});
const [seed, between, seconds] = [values.seed, values.cuts, values['call-seconds']].map(Number);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const shim = buildShim();
// What is checked writes and syncs as well, which costs nothing in memory.
const root = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'kindred-power-'));

/** Of an upgrade, in the middle of writes. */
const UPGRADE_CUTS = 20;
/** A recording with fewer edges is not one of this work. */
const MIN_EDGES = 150;

async function losePower(): Promise<number> {
  const recording = record({ shim, root: join(root, 'store'), script: 'workload.ts' });
  const check: Check = (dataDir, marks, options) => checkFolder(dataDir, withoutInFlight(marks), options);
  const { checked, edges, rows, broken } = await cutPower({ recording, between, seed, check, say });
  say(
    `power was cut at ${edges} edges and ${between} other places of ${recording.steps.length}: ${checked} folders, ${rows} acknowledged rows looked for, ${broken} broken`,
  );
  const isReal = edges >= MIN_EDGES && rows > checked && (await noticesLoss(recording, check));
  if (!isReal) say('this tested nothing: too little was recorded, or a loss was not noticed');
  return broken + Number(!isReal);
}

say(`seed ${seed} (repeat it with --seed ${seed})`);
let broken = await losePower();
broken += await loseUpgrades({ shim, root, seed, between: Math.min(between, UPGRADE_CUTS), say });
if (!values['skip-calls']) {
  broken += await failEveryCall({ shim, root, random: seededRandom(seed), seconds, say });
  const ofService = { random: seededRandom(seed), seconds: Number(values['service-seconds']) };
  broken += await failTheService({ shim, root, say, ...ofService });
  broken += await failAccepting({ shim, root, say });
}
rmSync(root, { recursive: true, force: true });
process.exitCode = broken === 0 ? 0 : 1;
