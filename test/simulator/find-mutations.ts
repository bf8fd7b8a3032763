// `npm run simulate -- --mutations`: puts each known bug back and runs seeds until the simulation finds it.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Mutation } from './mutation.ts';
import { MUTATIONS } from './mutations.ts';
import type { Many } from './simulate-many.ts';

export interface Found {
  readonly name: string;
  /** the first seed that finds it; null: not found, which must not be */
  readonly seed: number | null;
  /** the invariant that was broken */
  readonly broken: string;
  /** of processor time */
  readonly seconds: number;
}

export interface FindOptions {
  readonly mutations?: readonly Mutation[];
  readonly maxSeeds: number;
  readonly processes: number;
  readonly tell: (found: Found) => void;
}

export async function findMutations(options: FindOptions): Promise<Found[]> {
  const { mutations = MUTATIONS, maxSeeds, processes, tell } = options;
  const all: Found[] = [];
  const waiting = [...mutations];
  const work = async () => {
    for (let mutation = waiting.shift(); mutation; mutation = waiting.shift()) {
      const found = await findMutation(mutation, maxSeeds);
      tell(found);
      all.push(found);
    }
  };
  await Promise.all(Array.from({ length: processes }, work));
  return all;
}

export async function findMutation(mutation: Mutation, maxSeeds: number, from = mutation.seed ?? 1): Promise<Found> {
  const folder = import.meta.dirname;
  const child = spawn(
    process.execPath,
    [
      '--import',
      join(folder, 'plant-mutation.ts'),
      join(folder, 'run-simulation.ts'),
      '--from',
      String(from),
      '--seeds',
      String(maxSeeds),
      '--first',
      '--json',
    ],
    { env: { ...process.env, KINDRED_MUTATION: mutation.name }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  let errors = '';
  child.stdout.on('data', (data) => (output += data));
  child.stderr.on('data', (data) => (errors += data));
  await new Promise((resolve) => child.once('close', resolve));
  const [, seed, broken] = /^seed (\d+): (.*)$/m.exec(output) ?? [];
  const sums = output.trimEnd().split('\n').at(-1)!;
  if (!sums.startsWith('{')) throw new Error(`${mutation.name}: ${errors}`);
  const { seconds } = JSON.parse(sums) as Many;
  return { name: mutation.name, seed: seed === undefined ? null : Number(seed), broken: broken ?? '', seconds };
}
