// `kindred jobs`: lists jobs, shows one, follows it or cancels it.
import { type Command, Option } from 'commander';
import type { Job, JobStatus, JobType, Kindred } from '../client/index.ts';
import {
  addCommonOptions,
  type CommandContext,
  type CommonFlags,
  runCommand,
  type Speaker,
  wholeNumber,
} from './command.ts';
import { UsageError } from './exit-codes.ts';
import { followJob } from './follow-job.ts';
import { chooseProject } from './project-choice.ts';
import { formatSeconds } from './style.ts';
import { tableView } from './table-view.ts';

interface JobsFlags extends CommonFlags {
  project?: string;
  type?: JobType;
  status?: JobStatus;
  limit: number;
  follow?: boolean;
  cancel?: boolean;
}

const EXAMPLES = `  $ kindred jobs                          # the newest, of all projects
  $ kindred jobs --status FAILED --json
  $ kindred jobs job_… --follow
  $ kindred jobs job_… --cancel`;

export function registerJobs(program: Command): void {
  const command = program
    .command('jobs')
    .description('list jobs, or show, follow or cancel one')
    .argument('[job]', 'id of a job')
    .option('--project <id or name>', 'only jobs of this project')
    .addOption(
      new Option('--type <type>', 'only jobs with this value').choices([
        'TRAINING',
        'DEPLOYMENT',
        'QUERYING',
        'CLUSTERING',
        'RECOMMENDATION',
        'EXPORT',
        'DATA_HEALTH',
        'IMPORT',
      ]),
    )
    .addOption(
      new Option('--status <status>', 'only jobs with this value').choices([
        'PENDING',
        'RUNNING',
        'SUCCEED',
        'FAILED',
        'CANCELLED',
      ]),
    )
    .option('--limit <n>', 'how many to list', wholeNumber('--limit', 1, 1000), 20)
    .option('--follow', 'follow the job to its end')
    .option('--cancel', 'cancel the job');
  addCommonOptions(command, EXAMPLES).action((job: string | undefined, flags: JobsFlags) =>
    runCommand(flags, (context) => (job === undefined ? listJobs(context) : oneJob(job, context))),
  );
}

async function listJobs({ flags, kindred: connect, speaker }: CommandContext<JobsFlags>): Promise<void> {
  if (flags.follow || flags.cancel) throw new UsageError('--follow and --cancel need the id of a job');
  const kindred = connect();
  const project = flags.project === undefined ? undefined : await chooseProject(kindred, flags.project);
  const { jobs } = await kindred.listJobs({
    project_id: project?.project_id,
    job_type: flags.type,
    job_status: flags.status,
    page_size: flags.limit,
  });
  speaker.result({ jobs }, () => (jobs.length === 0 ? 'No jobs.' : jobsTable(jobs, speaker)));
}

async function oneJob(
  job_id: string,
  { flags, kindred: connect, speaker, signal }: CommandContext<JobsFlags>,
): Promise<void> {
  const kindred = connect();
  const project_id = await projectOfJob(kindred, flags.project, job_id);
  let job: Job;
  if (flags.cancel) job = await cancelJob(kindred, project_id, job_id);
  else if (flags.follow) job = await followJob(kindred, { project_id, job_id }, { label: 'Job', speaker, signal });
  else job = await kindred.getJob({ project_id, job_id });
  speaker.result(job, () => jobText(job));
}

async function cancelJob(kindred: Kindred, project_id: string, job_id: string): Promise<Job> {
  await kindred.cancelJob({ project_id, job_id });
  return kindred.getJob({ project_id, job_id });
}

/** A job id does not name its project, so every project is searched. */
async function projectOfJob(kindred: Kindred, given: string | undefined, job_id: string): Promise<string> {
  if (given !== undefined) return (await chooseProject(kindred, given)).project_id;
  for await (const { project_id } of kindred.iterateProjects()) {
    const found = await kindred.getJob({ project_id, job_id }).then(
      () => true,
      (error: { status?: number }) => {
        if (error.status === 404) return false;
        throw error;
      },
    );
    if (found) return project_id;
  }
  throw new UsageError(`job ${job_id} was not found`);
}

function jobsTable(jobs: Job[], { width, style }: Speaker): string {
  return tableView(
    jobs,
    [
      { title: 'job', of: (job) => job.job_id, whole: true },
      { title: 'type', of: (job) => job.job_type },
      { title: 'status', of: (job) => job.job_status },
      { title: 'done', of: (job) => `${Math.floor((job.progress?.fraction ?? 0) * 100)}%`, align: 'right' },
      { title: 'took', of: durationOf, align: 'right' },
      { title: 'submitted', of: (job) => timeText(job.created_ts) },
      { title: 'name', of: (job) => job.failure_reason?.message ?? job.name },
    ],
    width,
    style,
  );
}

function jobText(job: Job): string {
  const lines = [
    `${job.job_type} job ${job.job_id}: ${job.job_status}`,
    `  name       ${job.name}`,
    `  submitted  ${timeText(job.created_ts)}`,
    `  took       ${durationOf(job) || '-'}`,
    `  retries    ${job.retry_count}`,
    `  data       ${JSON.stringify(job.job_data)}`,
  ];
  if (job.job_status === 'RUNNING')
    lines.push(`  progress   ${Math.floor(job.progress.fraction * 100)}% ${job.progress.phase}`);
  const spark = job.progress.spark;
  if (spark) lines.push(`  spark      ${spark.application_id} at ${spark.address}`);
  if (job.job_result) lines.push(`  result     ${JSON.stringify(job.job_result)}`);
  if (job.failure_reason) lines.push(`  failed     ${job.failure_reason.message} (${job.failure_reason.code})`);
  return lines.join('\n');
}

function durationOf(job: Job): string {
  return job.started_ts === null ? '' : formatSeconds((job.finished_ts ?? Date.now()) - job.started_ts);
}

function timeText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}
