// `kindred import --dry-run`: the first rows of each file go through the import, with the checks of the upsert calls in place of the calls.
import { plural } from '../base/plural.ts';
import type { AttributeSchema } from '../domain/dataset.ts';
import type { RecordKind } from '../domain/import-job.ts';
import { readRecommendation } from '../domain/recommendation.ts';
import { readEntities, readEvents } from '../domain/record-batch.ts';
import type { ImportRecord } from '../import/record-maker.ts';
import { type FailedRow, runImport } from '../import/run-import.ts';
import type { UpsertRecords } from '../import/upsert-records.ts';
import type { CommandContext } from './command.ts';
import type { ImportFlags, PreparedFile } from './import-prepare.ts';
import { datasetOf } from './import-target.ts';
import { findProject } from './project-choice.ts';
import { formatCount } from './style.ts';

const SHOWN_RECORDS = 3;

export async function showDryRun(
  prepared: readonly PreparedFile[],
  context: CommandContext<ImportFlags>,
): Promise<void> {
  const schemaOf = await schemasOfTarget(context);
  const runs: DryRun[] = [];
  for (const file of prepared) runs.push(await dryRunOf(file, await schemaOf(file.plan.kind), context.signal));
  context.speaker.result(runs, () => runs.map(dryRunText).join('\n'));
}

/** The attribute schema of the dataset that the import would write to. A dry run does without a service that cannot be asked. */
async function schemasOfTarget({ flags, kindred, speaker, signal }: CommandContext<ImportFlags>) {
  const asked = async <T>(ask: () => Promise<T>): Promise<T | null> => {
    try {
      return await ask();
    } catch (error) {
      signal.throwIfAborted();
      speaker.say(`The attribute_schema of the dataset was not checked: ${(error as Error).message}`);
      return null;
    }
  };
  const name = flags.project;
  const project = name === undefined ? null : await asked(() => findProject(kindred().iterateProjects(), name));
  return async (kind: RecordKind): Promise<AttributeSchema | null> => {
    const id = flags.dataset ?? (project ? datasetOf(project, kind) : undefined);
    if (id === undefined || kind === 'events') return null;
    const dataset = await asked<{ attribute_schema: AttributeSchema | null }>(() =>
      kind === 'users'
        ? kindred().getUserDataset({ user_dataset_id: id })
        : kindred().getItemDataset({ item_dataset_id: id }),
    );
    return dataset?.attribute_schema ?? null;
  };
}

type DryRun = Awaited<ReturnType<typeof dryRunOf>>;

/** The first records, and how many of the first rows the import would skip. */
export async function dryRunOf(
  { name, plan, table, sample, refine }: PreparedFile,
  schema: AttributeSchema | null,
  signal: AbortSignal,
) {
  const records: ImportRecord[] = [];
  const failed: FailedRow[] = [];
  const upsert: UpsertRecords = async (given) => {
    // A call has JSON, which has no NaN.
    const sent = JSON.parse(JSON.stringify(given)) as ImportRecord[];
    const { ids, indexes, failures, warnings } = check(plan.kind, sent, schema);
    records.push(...indexes.map((index) => sent[index]));
    return { succeed_ids: ids, failures, warnings };
  };
  await runImport({
    plan,
    table: { ...table, pieces: oneOf(sample) },
    upsert,
    refine,
    parallel: 1,
    signal,
    onBatch: (batch) => failed.push(...batch.failed),
  });
  const [first] = failed.sort((a, b) => a.row - b.row);
  return {
    file: name,
    kind: plan.kind,
    notes: plan.notes,
    rows_read: sample.length,
    skipped: failed.length,
    first_skipped: first ? `row ${first.row}: ${first.message}` : null,
    records: records.slice(0, SHOWN_RECORDS),
  };
}

/** Checks as the upsert calls do, except that only the service can check whether a recommendation id is its own. */
function check(kind: RecordKind, sent: readonly unknown[], schema: AttributeSchema | null) {
  if (kind === 'events') {
    const batch = readEvents(sent, { nowMs: Date.now(), readList: readRecommendation });
    return { ...batch, ids: batch.records.map(({ event_id }) => event_id) };
  }
  const batch = readEntities(sent, kind === 'users' ? 'user_id' : 'item_id', schema);
  return { ...batch, ids: batch.records.map(({ id }) => id) };
}

async function* oneOf<T>(piece: T): AsyncGenerator<T> {
  yield piece;
}

export function dryRunText({ records, rows_read, skipped, first_skipped }: DryRun): string {
  const lines = records.map((record) => JSON.stringify(record));
  if (skipped > 0) {
    const first = `the first is ${first_skipped}`;
    lines.push(`${formatCount(skipped)} of the first ${plural(rows_read, 'row')} would be skipped; ${first}`);
  }
  return lines.join('\n');
}
