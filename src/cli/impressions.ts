// `kindred impressions LIST [ITEM…]`: records that a list was on the screen.
import type { Command } from 'commander';
import { addCommonOptions, type CommandContext, type CommonFlags, runCommand } from './command.ts';
import { CommandError, EXIT } from './exit-codes.ts';

interface ImpressionsFlags extends CommonFlags {
  user?: string;
}

const EXAMPLES = `  $ kindred impressions Av8B… film-0003 film-0007
  $ kindred impressions Av8B…                       # the whole list`;

export function registerImpressions(program: Command): void {
  const command = program
    .command('impressions')
    .description('record that a list was shown')
    .argument('<recommendation>', 'recommendation_id of the list (see --json of the command that made it)')
    .argument('[items...]', 'items that were seen (default: the whole list)')
    .option('--user <id>', 'who saw it (default: the user the list was made for)');
  addCommonOptions(command, EXAMPLES).action((list: string, items: string[], flags: ImpressionsFlags) =>
    runCommand(flags, (context) => record(list, items, context)),
  );
}

async function record(
  recommendation_id: string,
  items: readonly string[],
  { flags, kindred: connect, speaker }: CommandContext<ImpressionsFlags>,
): Promise<void> {
  const impression = { recommendation_id, user_id: flags.user, ...(items.length > 0 && { item_ids: [...items] }) };
  const response = await connect().recordImpressions({ impressions: [impression] });
  if (response.failures.length > 0) throw new CommandError(response.failures[0].message, EXIT.REFUSED);
  speaker.result(response, () => 'Recorded.');
}
