// Import: a file in S3 into a dataset of the project. An attempt that was interrupted is made again from the start of the file: records and
// events are written by their ids, and an event without one gets the same id each time, so nothing is stored twice.
import { basename } from 'node:path';
import { plural } from '../../base/plural.ts';
import type { DatasetKind } from '../../domain/dataset.ts';
import { type ImportJobData, MAX_NAMED_ROWS } from '../../domain/import-job.ts';
import { JobFailure } from '../../domain/job.ts';
import { openSource } from '../../import/file-source.ts';
import { firstFailures } from '../../import/first-failures.ts';
import { type ImportPlan, ImportPlanError, planImport } from '../../import/import-plan.ts';
import { type FailedRow, type ImportedBatch, runImport } from '../../import/run-import.ts';
import type { Source } from '../../import/source.ts';
import { peekRows, UnreadableTable } from '../../import/table.ts';
import { ownLists } from '../../outcomes/own-lists.ts';
import { responseSecret } from '../../outcomes/recommendation-id.ts';
import { datasetOfJob, projectOfJob } from '../../pieces/job-project.ts';
import type { Publication } from '../../store/job-queue.ts';
import { fetchSource } from '../import/fetch-source.ts';
import { upsertInto } from '../import/upsert-into.ts';
import type { JobContext } from '../job-handler.ts';

const SAMPLE_ROWS = 1000;
/** A small number, so that the import does not hold up calls of clients. */
const PARALLEL_BATCHES = 2;
/** Share of the download in the progress. */
const FETCH_SHARE = 0.2;
const MAX_REASON_LENGTH = 200;

export async function importData(context: JobContext): Promise<Publication> {
  const { job, progress, signal } = context;
  const data = job.job_data as ImportJobData;
  const path = await fetchSource(context, data.source, (share) =>
    progress({ fraction: FETCH_SHARE * share, phase: 'download', message: 'Downloading the file.' }),
  );
  let source: Source | undefined;
  try {
    source = await openSource(path, data);
    return { result: await importTable(context, source, data) };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof UnreadableTable) throw new JobFailure('UNREADABLE_FILE', sentence(error.message, path, data));
    if (error instanceof ImportPlanError) throw new JobFailure('UNCLEAR_COLUMNS', sentence(error.message, path, data));
    throw error;
  } finally {
    await source?.close();
  }
}

async function importTable(context: JobContext, source: Source, data: ImportJobData): Promise<Record<string, unknown>> {
  const { store, progress, signal, runtime } = context;
  const { sample, table } = await peekRows(source.table, SAMPLE_ROWS);
  const plan = planImport(table, sample, { ...data, fileName: basename(data.source) });
  const target = await findTarget(context, plan);
  const counts = { rows: 0, stored: 0, skipped: 0 };
  const warnings: Record<string, number> = {};
  let skipped: Pick<FailedRow, 'row' | 'code' | 'message'>[] = [];
  const onBatch = (batch: ImportedBatch): void => {
    counts.rows += batch.to - batch.from;
    counts.stored += batch.succeeded;
    counts.skipped += batch.failed.length;
    for (const [code, count] of Object.entries(batch.warnings)) warnings[code] = (warnings[code] ?? 0) + count;
    const failed = batch.failed.map(({ row, code, message }) => ({
      row,
      code,
      message: message.slice(0, MAX_REASON_LENGTH),
    }));
    skipped = firstFailures(skipped, failed, MAX_NAMED_ROWS);
    const fraction = FETCH_SHARE + (1 - FETCH_SHARE) * Math.min(1, source.fractionRead());
    progress({ fraction, phase: 'import', message: inWords(counts) });
  };
  const upsert = upsertInto(store, target, { signal, runtime });
  await runImport({ plan, upsert, table, parallel: PARALLEL_BATCHES, signal, onBatch });
  if (counts.rows > 0 && counts.stored === 0) {
    const [{ row, message }] = skipped;
    throw new JobFailure(
      'NOTHING_IMPORTED',
      `None of ${plural(counts.rows, 'row')} could be stored. Row ${row}: ${message}`,
    );
  }
  return {
    kind: plan.kind,
    dataset_id: target.dataset.dataset_id,
    ...counts,
    warnings,
    skipped_rows: skipped,
    notes: plan.notes,
    message: inWords(counts),
  };
}

async function findTarget({ job, store }: JobContext, { kind }: ImportPlan) {
  const project = await projectOfJob(store, job);
  const dataset = await datasetOfJob(store, project, kind.slice(0, -1) as DatasetKind);
  const readList = ownLists({ accountId: job.account_id, secret: await responseSecret(store.accounts) });
  return { kind, dataset, readList };
}

/** Counts rows, because a record that is in the file twice is stored once. */
function inWords({ rows, skipped }: { rows: number; skipped: number }): string {
  return `${plural(rows - skipped, 'row')} imported${skipped > 0 ? `, ${plural(skipped, 'row')} skipped` : ''}.`;
}

/** The person knows the file by its address. */
function sentence(message: string, path: string, { source }: ImportJobData): string {
  const text = message.replaceAll(path, source).replace(/^(?!s3:)./, (first) => first.toUpperCase());
  return /[.?]$/.test(text) ? text : `${text}.`;
}
