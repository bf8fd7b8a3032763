// `kindred status`: how fresh data and model of a project are, how fast lists are returned, and what is wrong.
import type { Command } from 'commander';
import { plural } from '../base/plural.ts';
import type { ProjectStatus } from '../client/index.ts';
import { addCommonOptions, type CommandContext, type CommonFlags, runCommand } from './command.ts';
import { chooseProject } from './project-choice.ts';
import { formatMinute } from './style.ts';

interface StatusFlags extends CommonFlags {
  project?: string;
}

const EXAMPLES = `  $ kindred status
  $ kindred status --project shop --json`;

export function registerStatus(program: Command): void {
  const command = program
    .command('status')
    .description('show how fresh data and model are, how fast lists are returned, and what is wrong')
    .option('--project <id or name>', 'the project (default: the only one)');
  addCommonOptions(command, EXAMPLES).action((flags: StatusFlags) => runCommand(flags, status));
}

async function status({ flags, kindred: connect, speaker }: CommandContext<StatusFlags>): Promise<void> {
  const kindred = connect();
  const { project_id } = await chooseProject(kindred, flags.project);
  const response = await kindred.getProjectStatus({ project_id });
  speaker.result(response, () => statusText(response));
}

function statusText({ data, model, serving, health, streams, failed_job: failed }: ProjectStatus): string {
  const whole = (count: number) => count.toLocaleString('en-US');
  const newest = data.newest_event_ts === null ? 'none' : formatMinute(data.newest_event_ts);
  const news = model?.new_events == null ? '' : `, ${plural(model.new_events, 'new event')} since`;
  return [
    `Data     ${plural(data.events, 'event')}, newest ${newest}; ${plural(data.items, 'item')}, ${plural(data.users, 'user')}`,
    `Model    ${model === null ? 'nothing is deployed' : `${model.name}, trained ${formatMinute(model.created_ts)}${news}`}`,
    `Serving  ${serving.p99_ms === null ? 'no calls' : plural(serving.calls, 'call')} in ${plural(serving.minutes, 'minute')} (all projects, this node)${
      serving.p99_ms === null ? '' : `, median ${serving.p50_ms} ms, p99 ${serving.p99_ms} ms`
    }`,
    `Health   ${health === null ? 'never checked: run kindred data-health' : `${plural(health.warnings, 'warning')}, ${plural(health.notes, 'note')} (${formatMinute(health.checked_ts)})`}`,
    ...streams.map(({ stream, messages, skipped, lost }) => {
      const losses = lost > 0 ? `, ${whole(lost)} deleted from Kafka before they were read` : '';
      return `Kafka    ${stream}: ${whole(messages)} messages, ${whole(skipped)} skipped${losses}`;
    }),
    ...(failed === null ? [] : [`Failed   ${failed.name}: ${failed.message}`]),
  ].join('\n');
}
