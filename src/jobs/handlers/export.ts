// Export: a dataset of the project or the vectors of a model as a file, written block by block.
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type ExportJobData, namesUsers } from '../../domain/export-job.ts';
import { JobFailure } from '../../domain/job.ts';
import { ErasureGuard } from '../../insight/results/erasure-guard.ts';
import { exportTable, writeLinesWithout } from '../../insight/results/export-table.ts';
import { publishLines } from '../../insight/results/publish-lines.ts';
import { linkSecret } from '../../insight/results/result-link.ts';
import type { Publication } from '../../store/job-queue.ts';
import { deliverTo } from '../deliver-file.ts';
import { type ExportBlocks, exportBlocks } from '../export/export-blocks.ts';
import type { JobContext } from '../job-handler.ts';

const MAX_RESULT_BYTES = 8 * 1024 ** 3;

export async function exportData(context: JobContext): Promise<Publication> {
  const { job, store, blobs, scratchDir, attemptId, progress } = context;
  const data = job.job_data as ExportJobData;
  const { what, format } = data;
  const deliver = deliverTo(context, data.destination);
  const erasures = namesUsers(what) ? await ErasureGuard.begin(store, job) : null;
  const project = await store.projects.get(job.account_id, job.project_id);
  if (project === null) throw new JobFailure('PROJECT_NOT_FOUND', 'The project was deleted before the job ran.');
  const source = await exportBlocks(context, project, data);
  let written = 0;
  const lines = linesOf(context, source, (count) => (written += count));
  await pipeline(lines, createWriteStream(join(scratchDir, 'result.jsonl'), { flags: 'wx', mode: 0o600 }));
  progress({ fraction: 0.9, phase: 'write', message: 'Writing the result.' });
  const published = await publishLines({
    deliver,
    ...{ blobs, scratchDir, resultId: attemptId, erasures, write: writeLinesWithout, nowMs: Date.now() },
    table: exportTable(what, format),
    secret: await linkSecret(store.accounts),
  });
  const message = `${written} ${written === 1 ? NAMES[what][0] : NAMES[what][1]}.`;
  return {
    // The eraser makes the table again from the lines, so it must know what is in it.
    result: { ...published, what, format, total: written, message },
    ...(erasures && { erasures: erasures.state }),
  };
}

const NAMES: Readonly<Record<ExportJobData['what'], readonly [one: string, many: string]>> = {
  users: ['user', 'users'],
  items: ['item', 'items'],
  events: ['event', 'events'],
  item_vectors: ['item', 'items'],
  user_vectors: ['user', 'users'],
};

async function* linesOf(
  { signal, progress }: JobContext,
  { total, blocks }: ExportBlocks,
  onWritten: (count: number) => number,
): AsyncGenerator<string> {
  let bytes = 0;
  for await (const block of blocks) {
    signal.throwIfAborted();
    const text = block.map((object) => `${JSON.stringify(object)}\n`).join('');
    bytes += Buffer.byteLength(text);
    if (bytes > MAX_RESULT_BYTES) throw tooLarge();
    yield text;
    const done = onWritten(block.length);
    const fraction = 0.05 + 0.85 * Math.min(1, done / Math.max(1, total));
    progress({ fraction, phase: 'read', message: `${done} of ${Math.max(total, done)} read.` });
  }
}

function tooLarge(): JobFailure {
  return new JobFailure('RESULT_TOO_LARGE', 'The result would be larger than 8 GiB.');
}
