// `kindred export WHAT --out FILE`: a dataset of a project, the vectors of a model or a report, made by a job and saved as a file.
import { Argument, type Command, Option } from 'commander';
import { EXPORT_FORMATS, EXPORTED, type Exported } from '../domain/export-job.ts';
import { addCommonOptions, type CommandContext, type CommonFlags, runCommand } from './command.ts';
import { UsageError } from './exit-codes.ts';
import { followJob } from './follow-job.ts';
import { chooseModel } from './model-choice.ts';
import { chooseProject } from './project-choice.ts';
import { findPlace } from './result-place.ts';
import { saveResult, sayWhereSaved } from './save-result.ts';

interface ExportFlags extends CommonFlags {
  project?: string;
  model?: string;
  name?: string;
  out?: string;
  to?: string;
}

const EXAMPLES = `  $ kindred export events --out events.parquet
  $ kindred export items --project shop --out items.jsonl
  $ kindred export users --to s3://lake/exports/users.parquet   # if the service allows it
  $ kindred export item_vectors --out vectors.parquet      # of the deployed model
  $ kindred export report_days --out placements.parquet    # results of lists, by placement, variant and day

Users, items and events can be imported again: kindred import events.parquet`;

export function registerExport(program: Command): void {
  const command = program
    .command('export')
    .description('export users, items, events, the vectors of a model or reports of placements as a file')
    .addArgument(new Argument('<what>', 'what to export').choices(EXPORTED))
    .option('--out <file>', `where to save it: ${EXPORT_FORMATS.map((format) => `.${format}`).join(', ')}`)
    .addOption(
      new Option('--to <address>', 'have the service write it to s3://bucket/prefix/name instead').conflicts('out'),
    )
    .option('--project <id or name>', 'the project (default: the only one)')
    .option('--model <id or name>', 'of vectors: the model (default: the deployed one)')
    .option('--name <name>', 'name of the job');
  addCommonOptions(command, EXAMPLES).action((what: Exported, flags: ExportFlags) =>
    runCommand(flags, (context) => exportTo(what, context)),
  );
}

async function exportTo(what: Exported, { flags, kindred: connect, speaker, signal }: CommandContext<ExportFlags>) {
  const given = flags.out ?? flags.to;
  if (given === undefined) throw new UsageError('give --out with a file, or --to with an s3:// address');
  const format = EXPORT_FORMATS.find((known) => given.toLowerCase().endsWith(`.${known}`));
  if (!format)
    throw new UsageError(`${given} must end with ${EXPORT_FORMATS.map((known) => `.${known}`).join(' or ')}`);
  const place = flags.out === undefined ? undefined : await findPlace(flags.out);
  const kindred = connect();
  const { project_id } = await chooseProject(kindred, flags.project);
  const model = flags.model === undefined ? undefined : await chooseModel(kindred, project_id, flags.model);
  const { job_id } = await kindred.submitExportJob({
    project_id,
    name: flags.name,
    what,
    format,
    model_id: model?.model_id,
    destination: flags.to,
  });
  const job = await followJob(kindred, { project_id, job_id }, { label: 'Export', speaker, signal });
  if (place) await saveResult(kindred, job, { place, signal });
  sayWhereSaved(speaker, job, given);
}
