// `kindred import s3://… --by-service`: the service reads the files itself, one job each.
import { isS3Address } from '../import/s3-file.ts';
import type { CommandContext } from './command.ts';
import { EXIT, UsageError } from './exit-codes.ts';
import { followJob } from './follow-job.ts';
import { type ImportFlags, importOptions } from './import-prepare.ts';
import { chooseProject } from './project-choice.ts';

/** Options that only apply to files on this machine. */
const OWN_FLAGS = ['dataset', 'name', 'targetEvent', 'movielens', 'numShards', 'dryRun', 'restart'] as const;

export async function importByService(
  sources: string[],
  { flags, kindred: connect, speaker, signal }: CommandContext<ImportFlags>,
): Promise<void> {
  const other = sources.find((source) => !isS3Address(source));
  if (other !== undefined) throw new UsageError(`--by-service reads s3:// addresses only, not ${other}`);
  const idle = OWN_FLAGS.find((flag) => flags[flag]);
  if (idle !== undefined) {
    const name = idle.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw new UsageError(`--${name} and --by-service cannot be combined. Choose the project with --project`);
  }
  const kindred = connect();
  const { project_id } = await chooseProject(kindred, flags.project);
  const files: Record<string, unknown>[] = [];
  for (const source of sources) {
    const { job_id } = await kindred.submitImportJob({ project_id, source, ...importOptions(flags) });
    const { job_result } = await followJob(kindred, { project_id, job_id }, { label: 'Import', speaker, signal });
    files.push({ file: source, job_id, ...job_result });
  }
  speaker.result({ project_id, files }, () => files.map(({ file, message }) => `${file}: ${message}`).join('\n'));
  if (files.some(({ skipped }) => Number(skipped) > 0)) process.exitCode = EXIT.RECORDS_REFUSED;
}
