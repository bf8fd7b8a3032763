// `kindred rank USER ITEM…`: items in the order for a user, as a table.
import type { Command } from 'commander';
import { addCommonOptions, type CommandContext, type CommonFlags, runCommand } from './command.ts';
import { addListOptions, type ListFlags, listFields, objectiveOfOthers } from './list-options.ts';
import { chooseProject } from './project-choice.ts';
import { someAttributes } from './results-table.ts';
import { tableView } from './table-view.ts';

interface RankFlags extends CommonFlags, ListFlags {}

const EXAMPLES = `  $ kindred rank viewer-00001 film-0003 film-0007 film-0012
  $ kindred rank viewer-00001 film-0003 film-0007 film-0012 --filter "price < 5" --boost "2:genres = 'Comedy'"
  $ kindred rank viewer-00001 film-0003 film-0007 --session film-0012 --context device=phone`;

export function registerRank(program: Command): void {
  const command = program
    .command('rank')
    .description('sort items for a user')
    .argument('<user>', 'user id')
    .argument('<items...>', 'ids of the items')
    .option('--project <id or name>', 'the project (default: the only one)')
    .addOption(objectiveOfOthers());
  addListOptions(command, { pages: false, explains: false });
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
  const response = await kindred.rankItemsToUser({
    ...(await listFields(kindred, project.project_id, flags)),
    user_id,
    item_ids,
    attributes,
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
