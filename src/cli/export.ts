// `kindred export WHAT --out FILE`: a dataset of a project or the vectors of a model, made by a job and saved as a file.
import { Argument, type Command } from 'commander';
import { EXPORT_FORMATS, EXPORTED, type Exported } from '../domain/export-job.ts';
import { addCommonOptions, type CommandContext, type CommonFlags, runCommand } from './command.ts';
import { downloadTo } from './download-to.ts';
import { UsageError } from './exit-codes.ts';
import { followJob } from './follow-job.ts';
import { chooseModel } from './model-choice.ts';
import { chooseProject } from './project-choice.ts';

interface ExportFlags extends CommonFlags {
  project?: string;
  model?: string;
  out: string;
}

const EXAMPLES = `  $ kindred export events --out events.parquet
  $ kindred export items --project shop --out items.jsonl
  $ kindred export item_vectors --out vectors.parquet      # of the deployed model

Users, items and events can be imported again: kindred import events.parquet`;

export function registerExport(program: Command): void {
  const command = program
    .command('export')
    .description('export users, items, events or the vectors of a model as a file')
    .addArgument(new Argument('<what>', 'what to export').choices(EXPORTED))
    .requiredOption('--out <file>', `where to save it: ${EXPORT_FORMATS.map((format) => `.${format}`).join(', ')}`)
    .option('--project <id or name>', 'the project (default: the only one)')
    .option('--model <id or name>', 'of vectors: the model (default: the deployed one)');
  addCommonOptions(command, EXAMPLES).action((what: Exported, flags: ExportFlags) =>
    runCommand(flags, (context) => exportTo(what, context)),
  );
}

async function exportTo(what: Exported, { flags, kindred: connect, speaker, signal }: CommandContext<ExportFlags>) {
  const format = EXPORT_FORMATS.find((known) => flags.out.toLowerCase().endsWith(`.${known}`));
  if (!format)
    throw new UsageError(`${flags.out} must end with ${EXPORT_FORMATS.map((known) => `.${known}`).join(' or ')}`);
  const kindred = connect();
  const { project_id } = await chooseProject(kindred, flags.project);
  const model = flags.model === undefined ? undefined : await chooseModel(kindred, project_id, flags.model);
  const { job_id } = await kindred.submitExportJob({ project_id, what, format, model_id: model?.model_id });
  const job = await followJob(kindred, { project_id, job_id }, { label: 'Export', speaker, signal });
  await downloadTo(String(job.job_result?.download_url), flags.out, signal);
  speaker.result(job, () => `${job.job_result?.message} Saved in ${flags.out}.`);
}
