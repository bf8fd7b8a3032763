// `kindred track USER ITEM`: stores one event, e.g. to see at once how a list changes.
import type { Command } from 'commander';
import { addCommonOptions, type CommandContext, type CommonFlags, decimalNumber, runCommand } from './command.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { collectNameValue, type NameValues } from './name-values.ts';
import { chooseProject } from './project-choice.ts';

interface TrackFlags extends CommonFlags {
  project?: string;
  type: string;
  value?: number;
  attribute?: NameValues;
  recommendation?: string;
}

const EXAMPLES = `  $ kindred track viewer-00001 film-0003
  $ kindred track viewer-00001 film-0003 --type purchase --value 2 --attribute device=phone`;

export function registerTrack(program: Command): void {
  const command = program
    .command('track')
    .description('store one event of a user, now')
    .argument('<user>', 'user or visitor id')
    .argument('<item>', 'item id')
    .option('--project <id or name>', 'the project (default: the only one)')
    .option('--type <event type>', 'what the user did', 'view')
    .option('--value <number>', 'event value (default: 1)', decimalNumber())
    .option('--attribute <name=value>', 'an attribute of the event (repeatable)', collectNameValue('device=phone'))
    .option('--recommendation <id>', 'recommendation_id of the list that led to it (see --json of other commands)');
  addCommonOptions(command, EXAMPLES).action((user: string, item: string, flags: TrackFlags) =>
    runCommand(flags, (context) => track(user, item, context)),
  );
}

async function track(
  user_id: string,
  item_id: string,
  { flags, kindred: connect, speaker }: CommandContext<TrackFlags>,
): Promise<void> {
  const kindred = connect();
  const { project_id, name } = await chooseProject(kindred, flags.project);
  const event = {
    item_id,
    event_type: flags.type,
    ts: Date.now(),
    ...(flags.value !== undefined && { event_value: flags.value }),
    ...(flags.attribute && { attributes: flags.attribute }),
    ...(flags.recommendation && { recommendation_id: flags.recommendation }),
  };
  const response = await kindred.track({ project_id, user_id, events: [event] });
  if (response.failures.length > 0) throw new CommandError(response.failures[0].message, EXIT.REFUSED);
  speaker.result(response, () => `Stored ${flags.type} of ${item_id} by ${user_id} in project ${name}.`);
}
