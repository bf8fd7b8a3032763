// `kindred rank USER ITEM…`: items in the order for a user, as a table.
import type { Command } from 'commander';
import type { Objective } from '../domain/objective.ts';
import { addCommonOptions, type CommandContext, type CommonFlags, runCommand } from './command.ts';
import { objectiveOfOthers } from './list-options.ts';
import { chooseProject } from './project-choice.ts';
import { listOf, someAttributes } from './results-table.ts';
import { tableView } from './table-view.ts';

interface RankFlags extends CommonFlags {
  project?: string;
  attributes?: string[];
  objective?: Objective;
}

const EXAMPLES = '  $ kindred rank viewer-00001 film-0003 film-0007 film-0012';

export function registerRank(program: Command): void {
  const command = program
    .command('rank')
    .description('sort items for a user')
    .argument('<user>', 'user id')
    .argument('<items...>', 'ids of the items')
    .option('--project <id or name>', 'the project (default: the only one)')
    .option('--attributes <names>', 'item attributes to show, separated by commas (default: a few)', listOf)
    .addOption(objectiveOfOthers());
  addCommonOptions(command, EXAMPLES).action((user: string, items: string[], flags: RankFlags) =>
    runCommand(flags, (context) => rank(user, items, context)),
  );
}

async function rank(
  user_id: string,
  item_ids: string[],
  { flags, kindred: connect, speaker }: CommandContext<RankFlags>,
): Promise<void> {
  const kindred = connect();
  const project = await chooseProject(kindred, flags.project);
  const attributes = flags.attributes ?? (await someAttributes(kindred, project));
  const { project_id } = project;
  const response = await kindred.rankItemsToUser({
    project_id,
    user_id,
    item_ids,
    attributes,
    objective: flags.objective,
  });
  for (const { message } of response.warnings ?? []) process.stderr.write(`Warning: ${message}\n`);
  type Row = (typeof response.results)[number] & { rank: number };
  const rows = response.results.map((result, n): Row => ({ ...result, rank: n + 1 }));
  const columns = [
    { title: '#', of: (row: Row) => row.rank, align: 'right' as const },
    { title: 'item', of: (row: Row) => row.item.item_id },
    ...attributes.map((name) => ({ title: name, of: (row: Row) => row.item[name] })),
    { title: 'score', of: (row: Row) => row.score?.toFixed(4), align: 'right' as const },
  ];
  speaker.result(response, () => tableView(rows, columns, speaker.width, speaker.style));
}
