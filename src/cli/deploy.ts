// `kindred deploy`: deploys a model for a project's recommendations, or shuts the deployment down.
import type { Command } from 'commander';
import type { Job, Kindred, RequestOf } from '../client/index.ts';
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
import { chooseModel } from './model-choice.ts';
import { chooseProject, projectFlag } from './project-choice.ts';

interface DeployFlags extends CommonFlags {
  project?: string;
  model?: string;
  ranker?: string;
  qps?: number;
  name?: string;
  wait: boolean;
  shutdown?: boolean;
}

const EXAMPLES = `  $ kindred deploy                                  # the newest model of the only project
  $ kindred deploy --project films --model mdl_… --qps 500
  $ kindred deploy --project films --shutdown`;

export function registerDeploy(program: Command): void {
  const command = program
    .command('deploy')
    .description('deploy a model to serve recommendations')
    .option('--project <id or name>', 'the project (default: the only one)')
    .option('--model <id or name>', 'the model that generates candidates (default: the newest)')
    .option('--ranker <id or name>', 'a second model that re-ranks them')
    .option(
      '--qps <n>',
      "calls per second the deployment may use (default: as before; at first the plan's maximum)",
      wholeNumber('--qps', 1, 1_000_000),
    )
    .option('--name <name>', 'name of the job')
    .option('--shutdown', "shut down the project's deployment instead")
    .option('--no-wait', 'print the job and do not wait for it');
  addCommonOptions(command, EXAMPLES).action((flags: DeployFlags) => runCommand(flags, deploy));
}

async function deploy({ flags, kindred: connect, speaker, signal }: CommandContext<DeployFlags>): Promise<void> {
  const kindred = connect();
  if (flags.shutdown && (flags.model || flags.ranker))
    throw new UsageError('--shutdown cannot be combined with --model or --ranker');
  const { project_id, name } = await chooseProject(kindred, flags.project);
  if (flags.shutdown) {
    const response = await kindred.shutdownDeployment({ project_id });
    speaker.result(response, () => `${name} no longer serves recommendations.`);
    return;
  }
  const generator = await chooseModel(kindred, project_id, flags.model);
  const ranker = flags.ranker === undefined ? undefined : await chooseModel(kindred, project_id, flags.ranker);
  const request = {
    project_id,
    name: flags.name,
    generator_model_id: generator.model_id,
    ranker_model_id: ranker?.model_id,
    qps: flags.qps,
  };
  if (!flags.wait) {
    const { job_id } = await kindred.submitDeploymentJob(request);
    speaker.result(
      { project_id, job_id },
      () => `Submitted ${job_id}. Follow it with: kindred jobs ${job_id} --follow`,
    );
    return;
  }
  const job = await deployModel(kindred, request, { speaker, signal });
  const text = () =>
    `${name} serves ${generator.name} at ${job.job_result?.serving_uri}\n\nNext: kindred recommend USER${projectFlag(flags.project)}`;
  speaker.result({ project_id, job_id: job.job_id, ...job.job_result }, text);
}

export async function deployModel(
  kindred: Kindred,
  request: RequestOf<'/submit-deployment-job'>,
  { speaker, signal }: { speaker: Speaker; signal: AbortSignal },
): Promise<Job> {
  const { job_id } = await kindred.submitDeploymentJob(request);
  return followJob(kindred, { project_id: request.project_id, job_id }, { label: 'Deployment', speaker, signal });
}
