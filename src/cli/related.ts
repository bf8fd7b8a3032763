// `kindred related ITEM…`: items related to items, as a table.
import { type Command, Option } from 'commander';
import { RELATIONS, type Relation } from '../domain/relation.ts';
import { addCommonOptions, type CommandContext, type CommonFlags, runCommand } from './command.ts';
import { addListOptions, type ListFlags, listFields, objectiveOfOthers } from './list-options.ts';
import { chooseProject } from './project-choice.ts';
import { resultsTable, someAttributes } from './results-table.ts';

interface RelatedFlags extends CommonFlags, ListFlags {
  relation: Relation;
  user?: string;
}

const EXAMPLES = `  $ kindred related film-0003
  $ kindred related film-0003 --relation together --limit 5 --attributes name,price
  $ kindred related film-0003 film-0007 --relation next --user viewer-00001 --explain`;

export function registerRelated(program: Command): void {
  const command = program
    .command('related')
    .description('recommend items related to other items')
    .argument('<items...>', 'one or more item ids')
    .option('--project <id or name>', 'the project (default: the only one)')
    .addOption(
      new Option('--relation <name>', 'similar: instead of it; together: with it; next: after it')
        .choices(RELATIONS)
        .default('similar'),
    )
    .option('--user <id>', 'order the list by this user’s taste')
    .addOption(objectiveOfOthers());
  addListOptions(command);
  addCommonOptions(command, EXAMPLES).action((items: string[], flags: RelatedFlags) =>
    runCommand(flags, (context) => related(items, context)),
  );
}

const TITLES: Record<string, string> = { similar: 'similar to', together: 'together with', next: 'next after' };

async function related(items: string[], { flags, kindred: connect, speaker }: CommandContext<RelatedFlags>) {
  const kindred = connect();
  const project = await chooseProject(kindred, flags.project);
  const response = await kindred.recommendItemsToItem({
    ...(await listFields(kindred, project.project_id, flags)),
    item_ids: items,
    relation: flags.relation,
    user_id: flags.user,
    attributes: flags.attributes ?? (await someAttributes(kindred, project)),
  });
  for (const { message } of response.warnings ?? []) process.stderr.write(`Warning: ${message}\n`);
  speaker.result(
    response,
    () =>
      `${speaker.style.bold(`${TITLES[response.relation]} ${items.join(', ')}`)}\n${resultsTable(response, speaker)}`,
  );
}
