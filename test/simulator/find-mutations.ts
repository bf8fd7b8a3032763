// `npm run simulate -- --mutations`: puts each known bug back and runs seeds until the simulation finds it.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { MUTATIONS, type Mutation } from './mutations.ts';

export interface Found {
  readonly name: string;
  /** null: not found, which must not be */
  readonly seed: number | null;
  readonly broken: string;
}

export async function findMutation(mutation: Mutation, maxSeeds: number): Promise<Found> {
  const folder = import.meta.dirname;
  const child = spawn(
    process.execPath,
    [
      ...['--import', join(folder, 'plant-mutation.ts'), join(folder, 'run-simulation.ts')],
      ...['--seeds', String(maxSeeds), '--first'],
    ],
    { env: { ...process.env, KINDRED_MUTATION: mutation.name }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  let errors = '';
  child.stdout.on('data', (data) => (output += data));
  child.stderr.on('data', (data) => (errors += data));
  await new Promise((resolve) => child.once('close', resolve));
  const [, seed, broken] = /^seed (\d+): (.*)$/m.exec(output) ?? [];
  if (seed === undefined && !/ 0 broken/.test(output)) throw new Error(`${mutation.name}: ${errors}`);
  return { name: mutation.name, seed: seed === undefined ? null : Number(seed), broken: broken ?? '' };
}

export async function findMutations(maxSeeds: number, tell: (found: Found) => void): Promise<Found[]> {
  const all: Found[] = [];
  for (const mutation of MUTATIONS) {
    const found = await findMutation(mutation, maxSeeds);
    tell(found);
    all.push(found);
  }
  return all;
}
