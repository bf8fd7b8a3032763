// Users as points, in a file of the piece: a record has the user's number in the piece and the vector. Points are read in blocks, so
// that any number of users can be grouped.
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { type Random, sampleIndexes } from '../../base/seeded-random.ts';
import type { KernelMemory } from '../../kernels/kernel-memory.ts';
import type { Piece } from '../../pieces/piece.ts';
import { RecordSpill, readRecords } from '../../results/files/record-spill.ts';
import type { UserScan } from '../users/scan-users.ts';
import type { TasteVectors } from '../users/taste-vectors.ts';
import type { Points } from './points.ts';

export const POINTS_FILE = 'points';

export interface UserPoints {
  /** one point per user with a taste vector */
  readonly points: Points;
  /** number of the user behind each point */
  readonly users: Uint32Array;
}

/** Returns how many users have a taste. */
export async function writeUserPoints(input: {
  scan: UserScan;
  tastes: TasteVectors;
  folder: string;
  onUsers: (users: number) => void;
}): Promise<number> {
  const { scan, tastes, onUsers } = input;
  const spill = await RecordSpill.create(join(input.folder, POINTS_FILE), tastes.dimensions + 1);
  try {
    for await (const batch of scan.histories([tastes.batch])) {
      for (const { user, vector } of tastes.rows()) {
        if (spill.full) await spill.flushIfFull();
        const record = spill.append();
        // A float holds whole numbers to 2²⁴ only, so the user's number goes in as bits.
        new Uint32Array(record.buffer, record.byteOffset, 1)[0] = user;
        record.set(vector, 1);
      }
      onUsers(batch.first + batch.count);
    }
    return spill.records;
  } finally {
    await spill.close();
  }
}

/** Points that are stored in a file. */
export interface StoredPoints {
  readonly count: number;
  readonly dimensions: number;
  /** Block after block; a block is overwritten by the next one. */
  blocks(): AsyncGenerator<UserPoints>;
}

/** `values` is where blocks are read to. */
export function storedPoints(
  { facts, file }: Piece<{ readonly points: number }>,
  { dimensions, values }: { dimensions: number; values: Float32Array },
): StoredPoints {
  const width = dimensions + 1;
  const most = Math.floor(values.length / dimensions);
  async function* blocks(): AsyncGenerator<UserPoints> {
    const records = new Float32Array(most * width);
    const numbers = new Uint32Array(records.buffer);
    const users = new Uint32Array(most);
    const handle = await open(await file(POINTS_FILE));
    try {
      for (let done = 0; done < facts.points; ) {
        const count = Math.min(most, facts.points - done);
        await readRecords(handle, records.subarray(0, count * width), done * width * 4);
        for (let n = 0; n < count; n++) {
          users[n] = numbers[n * width];
          values.set(records.subarray(n * width + 1, (n + 1) * width), n * dimensions);
        }
        yield { points: { count, dimensions, values }, users: users.subarray(0, count) };
        done += count;
      }
    } finally {
      await handle.close();
    }
  }
  return { count: facts.points, dimensions, blocks };
}

/** Reads up to `most` points, drawn evenly, into the given memory. */
export async function samplePoints(
  stored: StoredPoints,
  { most, random, memory }: { most: number; random: Random; memory: KernelMemory },
): Promise<UserPoints> {
  const { dimensions } = stored;
  const rows = sampleIndexes(stored.count, most, random);
  const values = memory.f32(rows.length * dimensions);
  const users = new Uint32Array(rows.length);
  let chosen = 0;
  let passed = 0;
  for await (const block of stored.blocks()) {
    for (; rows[chosen] < passed + block.points.count; chosen++) {
      const row = rows[chosen] - passed;
      users[chosen] = block.users[row];
      values.set(block.points.values.subarray(row * dimensions, (row + 1) * dimensions), chosen * dimensions);
    }
    passed += block.points.count;
  }
  return { points: { count: rows.length, dimensions, values }, users };
}
