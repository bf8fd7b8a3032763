// `kindred top KIND`: popular, trending or new items, as a table.
import { type Command, InvalidArgumentError } from 'commander';
import { addCommonOptions, type CommandContext, type CommonFlags, runCommand, wholeNumber } from './command.ts';
import { collectNameValue, type NameValues } from './name-values.ts';
import { chooseProject } from './project-choice.ts';
import { listOf, resultsTable, someAttributes } from './results-table.ts';

const KINDS = ['popular', 'trending', 'newest'] as const;
type TopListKind = (typeof KINDS)[number];

interface TopFlags extends CommonFlags {
  project?: string;
  hours?: number;
  eventType?: string;
  limit: number;
  attributes?: string[];
  filter?: string;
  filterParam?: NameValues;
}

const EXAMPLES = `  $ kindred top popular
  $ kindred top trending --hours 24 --event-type purchase --limit 5
  $ kindred top newest --filter "price < 20"`;

export function registerTop(program: Command): void {
  const command = program
    .command('top')
    .description('list popular, trending or new items, without a model')
    .argument('<kind>', 'popular, trending or newest', knownKind)
    .option('--project <id or name>', 'the project (default: the only one)')
    .option('--hours <n>', 'the last hours that count (default: 168, trending 24)', wholeNumber('--hours', 1, 720))
    .option('--event-type <type>', 'count only events of this type')
    .option('--limit <n>', 'how many items', wholeNumber('--limit', 1, 500), 10)
    .option('--attributes <names>', 'item attributes to show, separated by commas (default: a few)', listOf)
    .option('--filter <query>', 'only items that match, e.g. "price < 20"')
    .option(
      '--filter-param <name=value>',
      'the value of $name in the filter; may be repeated',
      collectNameValue('max=20 or brands=["a","b"]'),
    );
  addCommonOptions(command, EXAMPLES).action((kind: TopListKind, flags: TopFlags) =>
    runCommand(flags, (context) => top(kind, context)),
  );
}

function knownKind(text: string): TopListKind {
  const kind = KINDS.find((known) => known === text);
  if (kind === undefined) throw new InvalidArgumentError('Write popular, trending or newest.');
  return kind;
}

async function top(by: TopListKind, { flags, kindred: connect, speaker }: CommandContext<TopFlags>) {
  const kindred = connect();
  const project = await chooseProject(kindred, flags.project);
  const answer = await kindred.listTopItems({
    ...{ project_id: project.project_id, by, window_hours: flags.hours, event_type: flags.eventType },
    limit: flags.limit,
    attributes: flags.attributes ?? (await someAttributes(kindred, project)),
    filter_query: flags.filter,
    filter_params: flags.filterParam,
  });
  for (const { message } of answer.warnings ?? []) process.stderr.write(`Warning: ${message}\n`);
  speaker.result(answer, () => `${speaker.style.bold(`${by} items`)}\n${resultsTable(answer, speaker)}`);
}
