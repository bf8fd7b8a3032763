// `kindred automation`: what a project does automatically, and what was decided. `kindred rollback`: the model that served before.
import { type Command, Option } from 'commander';
import { plural } from '../base/plural.ts';
import type { AutomationStatus, Kindred } from '../client/index.ts';
import type { RequestOf } from '../client/operations.ts';
import {
  DEPLOY_RULES,
  type DeployRule,
  MAX_KEPT_MODELS,
  MAX_NEW_EVENTS,
  MAX_RETRAIN_HOURS,
} from '../domain/automation.ts';
import { addCommonOptions, type CommandContext, type CommonFlags, runCommand, wholeNumber } from './command.ts';
import { UsageError } from './exit-codes.ts';
import { followJob } from './follow-job.ts';
import { chooseProject } from './project-choice.ts';
import { formatMinute } from './style.ts';
import { tableView } from './table-view.ts';

interface AutomationFlags extends CommonFlags {
  project?: string;
  everyHours?: number;
  afterNewEvents?: number;
  deploy?: DeployRule;
  keepModels?: number;
  off?: boolean;
}

interface RollbackFlags extends CommonFlags {
  project?: string;
  from?: string;
}

type Automation = NonNullable<RequestOf<'/update-project'>['automation']>;

const EXAMPLES = `  $ kindred automation
  $ kindred automation --every-hours 24 --after-new-events 10000
  $ kindred automation --every-hours 24 --deploy never --keep-models 5
  $ kindred automation --off`;
const SHOWN_DECISIONS = 10;

export function registerAutomation(program: Command): void {
  const command = program
    .command('automation')
    .description('show or change when a project trains and deploys automatically, and what it decided')
    .option('--project <id or name>', 'the project (default: the only one)')
    .option('--every-hours <n>', 'train again after this many hours', wholeNumber('hours', 1, MAX_RETRAIN_HOURS))
    .option(
      '--after-new-events <n>',
      'train again after this many new events',
      wholeNumber('events', 1, MAX_NEW_EVENTS),
    )
    .addOption(new Option('--deploy <rule>', 'when a new model is deployed').choices(DEPLOY_RULES))
    .option('--keep-models <n>', 'how many of the newest models are kept', wholeNumber('models', 1, MAX_KEPT_MODELS))
    .option('--off', 'switch it off');
  addCommonOptions(command, EXAMPLES).action((flags: AutomationFlags) => runCommand(flags, automation));
}

export function registerRollback(program: Command): void {
  const back = program
    .command('rollback')
    .description('roll back to the model that served before')
    .option('--project <id or name>', 'the project (default: the only one)')
    .option('--from <model id>', 'only if this model is deployed');
  addCommonOptions(back, '  $ kindred rollback').action((flags: RollbackFlags) => runCommand(flags, rollback));
}

async function automation({ flags, kindred: connect, speaker }: CommandContext<AutomationFlags>): Promise<void> {
  const kindred = connect();
  const { project_id, automation: before } = await chooseProject(kindred, flags.project);
  const change = changeOf(flags, before);
  if (change !== undefined) await kindred.updateProject({ project_id, automation: change });
  const status = await kindred.getAutomationStatus({ project_id });
  const { decisions } = await kindred.listAutomationDecisions({ project_id, page_size: SHOWN_DECISIONS });
  const columns = [
    { title: 'time', of: (row: (typeof decisions)[number]) => formatMinute(row.decided_ts), whole: true },
    { title: 'decision', of: (row: (typeof decisions)[number]) => row.decision, whole: true },
    { title: 'model', of: (row: (typeof decisions)[number]) => row.model_id, whole: true },
    { title: 'reason', of: (row: (typeof decisions)[number]) => row.reason },
  ];
  speaker.result({ ...status, decisions }, () =>
    [
      ...statusLines(status),
      ...(decisions.length === 0 ? [] : [tableView(decisions, columns, speaker.width, speaker.style)]),
    ].join('\n'),
  );
}

/** Returns undefined if the command only shows the automation. */
function changeOf(flags: AutomationFlags, before: Automation | null): Automation | null | undefined {
  const { everyHours, afterNewEvents, deploy, keepModels, off } = flags;
  const isChange = [everyHours, afterNewEvents, deploy, keepModels].some((value) => value !== undefined);
  if (off && isChange) throw new UsageError('--off takes no other options');
  if (off) return null;
  if (!isChange) return undefined;
  const isTimed = everyHours !== undefined || afterNewEvents !== undefined;
  const retrain = isTimed ? { every_hours: everyHours, after_new_events: afterNewEvents } : before?.retrain;
  if (retrain === undefined) throw new UsageError('say when to train: --every-hours, --after-new-events or both');
  return { ...before, retrain, ...(deploy && { deploy }), ...(keepModels && { keep_models: keepModels }) };
}

function statusLines({
  automation,
  new_events,
  next_training_ts,
  training_job_id,
  failures,
  message,
}: AutomationStatus) {
  if (automation === null) return ['Automation is off. Switch it on with --every-hours or --after-new-events.'];
  const { every_hours, after_new_events } = automation.retrain;
  const rules = [
    ...(every_hours ? [every_hours === 1 ? 'every hour' : `every ${every_hours} hours`] : []),
    ...(after_new_events ? [`after ${plural(after_new_events, 'new event')}`] : []),
  ];
  const next =
    training_job_id !== null
      ? `A training is under way: ${training_job_id}.`
      : `${plural(new_events, 'new event')}.${next_training_ts === null ? '' : ` Next training at ${formatMinute(next_training_ts)} UTC at the latest.`}`;
  return [
    `Trains ${rules.join(' or ')}. Deploys: ${automation.deploy}. Keeps ${plural(automation.keep_models!, 'model')}.`,
    next,
    ...(failures > 0 ? [`${plural(failures, 'training')} failed in a row.`] : []),
    ...(message === null ? [] : [message]),
  ];
}

async function rollback({ flags, kindred: connect, speaker, signal }: CommandContext<RollbackFlags>): Promise<void> {
  const kindred: Kindred = connect();
  const { project_id } = await chooseProject(kindred, flags.project);
  const response = await kindred.rollbackDeployment({ project_id, from_model_id: flags.from });
  if (response.job_id !== null) {
    await followJob(kindred, { project_id, job_id: response.job_id }, { label: 'Roll-back', speaker, signal });
  }
  speaker.result(response, () =>
    response.job_id === null
      ? `Nothing to do: ${response.model_id} is deployed.`
      : `${response.model_id} is deployed again.`,
  );
}
