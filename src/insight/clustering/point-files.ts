// Users as points, in a file of the piece: a record has the user's number in the piece and the vector. Joined, the points of all
// pieces are side by side on the kernels' memory.
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { G1Model } from '../../artifact/g1-model.ts';
import type { KernelMemory } from '../../kernels/kernel-memory.ts';
import { RecordSpill, readRecords } from '../files/record-spill.ts';
import type { Piece } from '../pieces/piece.ts';
import type { HistoryBatch } from '../users/history-batch.ts';
import type { UserScan } from '../users/scan-users.ts';
import { writeVector } from '../users/taste-vector.ts';
import { type Points, paddedDimensions } from './points.ts';

export const POINTS_FILE = 'points';
const BLOCK_RECORDS = 4096;

export interface UserPoints {
  /** points on the given array, only users with a taste */
  readonly points: Points;
  /** number of the user behind each point */
  readonly users: Uint32Array;
}

/** Returns how many users have a taste. */
export async function writeUserPoints(input: {
  scan: UserScan;
  batch: HistoryBatch;
  model: G1Model;
  folder: string;
  onUsers: (users: number) => void;
}): Promise<number> {
  const { scan, model, onUsers } = input;
  const dimensions = paddedDimensions(model.vectors.dimensions);
  const spill = await RecordSpill.create(join(input.folder, POINTS_FILE), dimensions + 1);
  const vector = new Float32Array(dimensions);
  try {
    for await (const batch of scan.histories([input.batch])) {
      for (let n = 0; n < batch.count; n++) {
        if (!writeVector(model, batch, n, vector)) continue;
        if (spill.full) await spill.flushIfFull();
        const record = spill.append();
        // A float holds whole numbers to 2²⁴ only, so the user's number goes in as bits.
        new Uint32Array(record.buffer, record.byteOffset, 1)[0] = batch.first + n;
        record.set(vector, 1);
      }
      onUsers(batch.first + batch.count);
    }
    return spill.records;
  } finally {
    await spill.close();
  }
}

export async function joinUserPoints(
  pieces: readonly Piece<{ readonly points: number }>[],
  {
    dimensions,
    numberOf,
    memory,
  }: { dimensions: number; numberOf: (piece: number, user: number) => number; memory: KernelMemory },
): Promise<UserPoints> {
  const count = pieces.reduce((sum, { facts }) => sum + facts.points, 0);
  const values = memory.f32(count * dimensions);
  const users = new Uint32Array(count);
  const width = dimensions + 1;
  const block = new Float32Array(BLOCK_RECORDS * width);
  const numbers = new Uint32Array(block.buffer);
  let point = 0;
  for (const [piece, { facts, file }] of pieces.entries()) {
    const handle = await open(await file(POINTS_FILE));
    try {
      for (let done = 0; done < facts.points; ) {
        const records = Math.min(BLOCK_RECORDS, facts.points - done);
        await readRecords(handle, block.subarray(0, records * width), done * width * 4);
        for (let record = 0; record < records; record++, point++) {
          users[point] = numberOf(piece, numbers[record * width]);
          values.set(block.subarray(record * width + 1, (record + 1) * width), point * dimensions);
        }
        done += records;
      }
    } finally {
      await handle.close();
    }
  }
  return { points: { count, dimensions, values }, users };
}
