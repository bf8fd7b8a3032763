// Export: a dataset of the project, the vectors of a model or the results of lists as a file, written block by block. Events and
// vectors of users are cut into parts by users, records by ids; the rest is read at once.

import { join } from 'node:path';
import { plural } from '../../base/plural.ts';
import type { EntityKind } from '../../domain/dataset.ts';
import { type Exported, type ExportJobData, namesUsers } from '../../domain/export-job.ts';
import { projectOfJob } from '../../pieces/job-project.ts';
import type { Piece, PiecePlace } from '../../pieces/piece.ts';
import { exportTable, writeLinesWithout } from '../../results/export-table.ts';
import { publishLines } from '../../results/publish-lines.ts';
import { linkSecret } from '../../results/result-link.ts';
import { deliverTo } from '../deliver-file.ts';
import { type ExportBlocks, exportBlocks } from '../export/export-blocks.ts';
import type { JobContext } from '../job-handler.ts';
import { type DividedContext, divided } from '../parts/divide.ts';
import { joinedLines } from '../parts/join-lines.ts';
import { bytesDone, ResultLimit } from '../result-limit.ts';

interface ExportFacts {
  readonly objects: number;
  readonly bytes: number;
  readonly files: readonly string[];
}

const LINES_FILE = 'objects.jsonl';

const CUT_BY: Partial<Record<Exported, 'users' | EntityKind>> = {
  events: 'users',
  user_vectors: 'users',
  users: 'user',
  items: 'item',
};

export const exportData = divided<ExportFacts>({
  work: writeObjects,
  join: publishObjects,
  workShare: 0.9,
  namesUsers: ({ job_data }) => namesUsers((job_data as ExportJobData).what),
  cutBy: ({ job_data }) => CUT_BY[(job_data as ExportJobData).what] ?? null,
});

async function writeObjects(context: DividedContext & PiecePlace): Promise<ExportFacts> {
  const { job, store, folder } = context;
  const data = job.job_data as ExportJobData;
  // Fails before reading if this worker may not write to the destination.
  deliverTo(context, data.destination);
  const project = await projectOfJob(store, job);
  const source = await exportBlocks(context, project, data);
  const written = { objects: 0 };
  const lines = linesOf(context, source, written);
  const bytes = await new ResultLimit(context.config).write(lines, join(folder, LINES_FILE), await bytesDone(context));
  return { ...written, bytes, files: [LINES_FILE] };
}

async function publishObjects(
  context: DividedContext,
  pieces: readonly Piece<ExportFacts>[],
): Promise<Record<string, unknown>> {
  const { job, store, blobs, scratchDir, attemptId, erasures, progress, runtime } = context;
  const { what, format, destination } = job.job_data as ExportJobData;
  progress({ fraction: 0, phase: 'write', message: 'Writing the result.' });
  const lines = joinedLines(pieces, LINES_FILE);
  new ResultLimit(context.config).check(lines.bytes);
  const published = await publishLines({
    deliver: deliverTo(context, destination),
    blobs,
    scratchDir,
    lines,
    resultId: attemptId,
    erasures,
    write: writeLinesWithout,
    nowMs: runtime.nowMs(),
    table: exportTable(what, format),
    secret: await linkSecret(store.accounts),
  });
  const total = pieces.reduce((sum, { facts }) => sum + facts.objects, 0);
  // If users are deleted, the table is made again from the lines, which needs these facts about its content.
  return { ...published, what, format, total, message: `${plural(total, ...NAMES[what])}.` };
}

const NAMES: Readonly<Record<ExportJobData['what'], readonly [one: string, many: string]>> = {
  users: ['user', 'users'],
  items: ['item', 'items'],
  events: ['event', 'events'],
  item_vectors: ['item', 'items'],
  user_vectors: ['user', 'users'],
  report_days: ['row', 'rows'],
  report_hours: ['row', 'rows'],
};

async function* linesOf(
  { signal, progress }: JobContext,
  { total, blocks }: ExportBlocks,
  written: { objects: number },
): AsyncGenerator<string> {
  for await (const block of blocks) {
    signal.throwIfAborted();
    yield block.map((object) => `${JSON.stringify(object)}\n`).join('');
    written.objects += block.length;
    const fraction = 0.05 + 0.95 * Math.min(1, written.objects / Math.max(1, total));
    const message = `${written.objects} of ${Math.max(total, written.objects)} read.`;
    progress({ fraction, phase: 'read', message });
  }
}
