// `kindred import FILE…`: users, items and events from files into datasets.
import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { plural } from '../base/plural.ts';
import type { Project } from '../client/index.ts';
import { TS_UNITS } from '../domain/import-job.ts';
import { ImportPlanError } from '../import/import-plan.ts';
import { KIND_ORDER } from '../import/import-target.ts';
import { MOVIELENS_FILE_NAMES, movieLensFile } from '../import/movielens.ts';
import { downloadFromS3, isS3Address, type LocalCopy } from '../import/s3-file.ts';
import { FORMATS } from '../import/source.ts';
import { UnreadableTable } from '../import/table.ts';
import { addCommonOptions, type CommandContext, runCommand, wholeNumber } from './command.ts';
import { MANY_RETRIES } from './connection.ts';
import { EXIT, UsageError } from './exit-codes.ts';
import { collectField } from './field-map.ts';
import { importByService } from './import-by-service.ts';
import { showDryRun } from './import-dry-run.ts';
import { type ImportedFile, importInTurn } from './import-file.ts';
import {
  describePlan,
  type ImportFlags,
  mostFrequentType,
  type PreparedFile,
  prepare,
  refuseUnknownColumns,
} from './import-prepare.ts';
import { findOrCreateProject } from './import-target.ts';
import { formatCount, formatSeconds } from './style.ts';

const EXAMPLES = `  $ kindred import users.csv items.csv events.csv --project shop --target-event purchase
  $ kindred import clicks.jsonl.gz --dataset eds_… --event-type click
  $ kindred import orders.parquet --map user_id=buyer --map item_id=article --map ts=ordered_at
  $ kindred import s3://lake/exports/users.parquet --project shop
  $ kindred import s3://lake/exports/events.parquet --project shop --by-service
  $ kindred import ml-1m/ --movielens --project films
  $ kindred import events.csv --dry-run          # shows what would be imported, imports nothing

To resume an interrupted import, run the same command again. Rows that fail are written to FILE.failed.jsonl with the
reason.`;

export function registerImport(program: Command): void {
  const command = program
    .command('import')
    .description('import users, items and events from CSV, JSON Lines (plain or gzipped) and Parquet files')
    .argument('<files...>', 'files to import, or s3:// addresses (with --movielens also folders)')
    .addOption(
      new Option('--kind <kind>', 'what is in the files (default: guessed from the columns)').choices(KIND_ORDER),
    )
    .option('--project <name>', 'into the datasets of this project (id or name); created if it does not exist')
    .option(
      '--target-event <type>',
      'target_event_type of a new project (default: the most frequent type of its events)',
    )
    .option('--dataset <id>', 'import into this dataset')
    .option('--name <name>', 'name of a new dataset (default: the file name)')
    .option('--map <field=column>', 'read a field (user_id, item_id, ts …) from a column (repeatable)', collectField)
    .option('--list <column[=separator]>', 'a column with lists (default separator |; repeatable)', collectList)
    .option('--text <column>', 'keep a column as text even if it looks like numbers (repeatable)', collect)
    .option('--skip <column>', 'skip a column (repeatable)', collect)
    .addOption(new Option('--ts-unit <unit>', 'unit of the time column (default: guessed)').choices(TS_UNITS))
    .option('--event-type <type>', 'event_type for files without that column (default: view)')
    .addOption(new Option('--format <format>', 'format of the files (default: by name and content)').choices(FORMATS))
    .option('--separator <text>', 'separator of CSV cells (default: guessed)')
    .option('--encoding <name>', 'text encoding (default: utf-8)', knownEncoding)
    .option('--movielens', "files are MovieLens' own: ratings, movies and users, .dat, .csv or u.*")
    .option(
      '--num-shards <n>',
      'num_shards of a new dataset (default: by file size)',
      wholeNumber('--num-shards', 1, 100_000),
    )
    .option('--parallel <n>', 'batches sent at the same time', wholeNumber('--parallel', 1, 64), 8)
    .option('--state-dir <folder>', 'folder for progress and skipped rows (default: next to the file)')
    .option('--restart', 'start over instead of resuming an interrupted import')
    .option('--by-service', 'the service reads the s3:// addresses itself, into a project (KINDRED_IMPORT_SOURCES)')
    .option('--dry-run', 'show what would be imported without importing');
  addCommonOptions(command, EXAMPLES).action((files: string[], flags: ImportFlags) =>
    runCommand(flags, (context) => (flags.byService ? importByService : importFiles)(files, context), {
      maxRetries: flags.dryRun ? 0 : MANY_RETRIES,
    }),
  );
}

export async function importFiles(given: string[], context: CommandContext<ImportFlags>): Promise<void> {
  const { flags, speaker, signal } = context;
  if (flags.dataset && flags.project) throw new UsageError('--dataset and --project cannot be combined');
  const prepared: PreparedFile[] = [];
  const copies: LocalCopy[] = [];
  // Files next to a temporary copy would not be found.
  if (given.some(isS3Address)) flags.stateDir ??= '.';
  try {
    const paths = expandFiles(given, flags);
    const others = paths.length > 1;
    for (const path of paths) {
      const copy = isS3Address(path) ? await downloadFromS3(path, signal) : undefined;
      if (copy) copies.push(copy);
      const preparing = prepare(copy?.path ?? path, flags, { others, copy });
      prepared.push(await preparing.catch((error) => Promise.reject(namingFile(path, error))));
    }
    refuseUnknownColumns(flags, prepared);
    prepared.sort((a, b) => KIND_ORDER.indexOf(a.plan.kind) - KIND_ORDER.indexOf(b.plan.kind));
    if (flags.dataset && new Set(prepared.map(({ plan }) => plan.kind)).size > 1) {
      throw new UsageError('--dataset needs files of one kind. These files have several. Use --project instead');
    }
    for (const file of prepared) speaker.say(describePlan(file));
    if (flags.dryRun) {
      await showDryRun(prepared, context);
      return;
    }
    signal.throwIfAborted();
    const project = flags.project === undefined ? null : await projectFor(prepared, flags.project, context);
    const done = await importInTurn(prepared, project, context);
    const failed = done.reduce((sum, file) => sum + file.failed, 0);
    speaker.result({ project_id: project?.project_id ?? null, files: done }, () => summaryText(done, project));
    if (failed > 0) process.exitCode = EXIT.RECORDS_REFUSED;
  } finally {
    for (const { source } of prepared) await source.close();
    for (const { remove } of copies) await remove();
  }
}

/** If there are several files, adds the name of the file to the error. */
function namingFile(path: string, error: unknown): unknown {
  const isAboutTable = error instanceof ImportPlanError || error instanceof UnreadableTable;
  return isAboutTable && !error.message.includes(path) ? new UsageError(`${path}: ${error.message}`) : error;
}

function expandFiles(given: string[], flags: ImportFlags): string[] {
  const files = given.flatMap((path) => {
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [path];
    if (!flags.movielens) throw new UsageError(`${path} is a folder. Name its files, or add --movielens`);
    return readdirSync(path).map((name) => join(path, name));
  });
  if (!flags.movielens) return files;
  const known = files.filter((path) => movieLensFile(path) !== null);
  if (known.length === 0) throw new UsageError(`no MovieLens file there: known are ${MOVIELENS_FILE_NAMES.join(', ')}`);
  return known;
}

async function projectFor(
  prepared: PreparedFile[],
  name: string,
  context: CommandContext<ImportFlags>,
): Promise<Project> {
  const target = { given: context.flags.targetEvent, guessed: mostFrequentType(prepared) };
  const wishes = prepared.map(({ wish }) => wish);
  const { project, created } = await findOrCreateProject(context.kindred(), name, target, wishes);
  if (created)
    context.speaker.say(
      `Project ${project.name} (${project.project_id}) created with target event ${project.target_event_type}.`,
    );
  return project;
}

export function summaryText(done: ImportedFile[], project: Pick<Project, 'name'> | null): string {
  const lines = done.flatMap((file) => [
    `${basename(file.file)}: ${plural(file.rows - file.failed, 'row')} imported into ${file.dataset_id} in ${formatSeconds(file.seconds * 1000)}`,
    ...detailsOf(file).map((line) => `  ${line}`),
  ]);
  // Users and items alone train nothing.
  if (project && done.some(({ kind, succeeded }) => kind === 'events' && succeeded > 0)) {
    lines.push(`Next: kindred train --project ${JSON.stringify(project.name)}`);
  }
  return lines.join('\n');
}

function detailsOf({ kind, rows, succeeded, failed, ...file }: ImportedFile): string[] {
  const lines: string[] = [];
  if (failed > 0) {
    lines.push(`${formatCount(failed)} skipped, see ${file.failed_rows_file}; the first is ${file.first_failure}`);
  }
  // Only repeats within a batch: the service does not say which ids it knew.
  const repeated = rows - succeeded - failed;
  if (repeated > 0) {
    const id = kind === 'events' ? 'event_id (if made here: the user, item, time and type)' : 'id';
    lines.push(`at least ${rowsThat('repeat', repeated)} the ${id} of another row: the last one counts`);
  }
  for (const [code, count] of Object.entries(file.warnings)) {
    lines.push(`${rowsThat('look', count)} wrong: ${WARNING_WORDS[code] ?? code}`);
  }
  return lines;
}

const rowsThat = (verb: string, count: number): string => `${plural(count, 'row')} ${verb}${count === 1 ? 's' : ''}`;

/** The service's warnings, in brief. */
const WARNING_WORDS: Record<string, string> = {
  SUSPICIOUS_TIME: 'times before 2000 or in the future; check --ts-unit',
  UNKNOWN_ITEM: 'new item ids that resemble known ones',
  UNKNOWN_TYPE: 'new event types that resemble known ones',
};

function knownEncoding(name: string): string {
  try {
    return new TextDecoder(name).encoding;
  } catch {
    throw new InvalidArgumentError('It must be an encoding such as utf-8, latin1 or utf-16le.');
  }
}

function collect(value: string, previous: string[] = []): string[] {
  return [...previous, value];
}

function collectList(value: string, previous: Record<string, string> = {}): Record<string, string> {
  const at = value.indexOf('=');
  return at < 0 ? { ...previous, [value]: '|' } : { ...previous, [value.slice(0, at)]: value.slice(at + 1) };
}
