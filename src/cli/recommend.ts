// `kindred recommend USER…`: recommendations as a table.
import { type Command, Option } from 'commander';
import type { Recommendation } from '../client/index.ts';
import { OBJECTIVES, type Objective } from '../domain/objective.ts';
import { addCommonOptions, type CommandContext, type CommonFlags, runCommand, wholeNumber } from './command.ts';
import { UsageError } from './exit-codes.ts';
import { collectNameValue, type NameValues } from './name-values.ts';
import { chooseProject } from './project-choice.ts';
import { listOf, resultsTable, someAttributes } from './results-table.ts';

interface RecommendFlags extends CommonFlags {
  project?: string;
  limit: number;
  attributes?: string[];
  filter?: string;
  filterParam?: NameValues;
  objective?: Objective;
  session?: string[];
  context?: NameValues;
  excludeSeen?: boolean;
  explain?: boolean;
}

const EXAMPLES = `  $ kindred recommend viewer-00001
  $ kindred recommend viewer-00001 viewer-00002 --limit 5 --attributes name,price
  $ kindred recommend viewer-00001 --filter "genres = 'Comedy' AND price < 5" --explain
  $ kindred recommend viewer-00001 --filter 'price < $max AND genres = user.genre' --filter-param max=5
  $ kindred recommend viewer-00001 --objective continue
  $ kindred recommend --session film-0003,film-0007 --context device=phone
  $ kindred recommend viewer-00001 --no-exclude-seen --json`;

export function registerRecommend(program: Command): void {
  const command = program
    .command('recommend')
    .description('recommend items to users')
    .argument('[users...]', 'user ids (optional with --session)')
    .option('--project <id or name>', 'the project (default: the only one)')
    .option('--limit <n>', 'how many items', wholeNumber('--limit', 1, 500), 10)
    .option('--attributes <names>', 'item attributes to show, separated by commas (default: a few)', listOf)
    .option('--filter <query>', 'only items that match, e.g. "price < 20"')
    .option(
      '--filter-param <name=value>',
      'value of $name in the filter (repeatable)',
      collectNameValue('max=20 or brands=["a","b"]'),
    )
    .addOption(
      new Option('--objective <name>', 'what the list is for (default: auto, the model decides)').choices(OBJECTIVES),
    )
    .option(
      '--session <item ids>',
      'items the user is looking at now, oldest first, separated by commas; not stored',
      listOf,
    )
    .option(
      '--context <name=value>',
      'a context attribute, as in events (repeatable)',
      collectNameValue('device=phone'),
    )
    .option('--exclude-seen', 'exclude items the user already had (default: the objective decides)')
    .option('--no-exclude-seen', 'include items the user already had')
    .option('--explain', 'show scores and reasons');
  addCommonOptions(command, EXAMPLES).action((users: string[], flags: RecommendFlags) =>
    runCommand(flags, (context) => recommend(users, context)),
  );
}

async function recommend(users: string[], { flags, kindred: connect, speaker }: CommandContext<RecommendFlags>) {
  if (users.length === 0 && !flags.session) {
    throw new UsageError('name a user, or pass the items of a visitor with --session');
  }
  const kindred = connect();
  const project = await chooseProject(kindred, flags.project);
  const attributes = flags.attributes ?? (await someAttributes(kindred, project));
  const answers: Recommendation[] = [];
  const visitors = users.length === 0 && flags.session ? [undefined] : users;
  for (const user_id of visitors) {
    answers.push(
      await kindred.recommendItemsToUser({
        project_id: project.project_id,
        user_id,
        session_events: flags.session?.map((item_id) => ({ item_id })),
        context: flags.context,
        limit: flags.limit,
        attributes,
        filter_query: flags.filter,
        filter_params: flags.filterParam,
        objective: flags.objective,
        exclude_seen: flags.excludeSeen,
        explain: flags.explain,
      }),
    );
  }
  const warnings = new Set(answers.flatMap((answer) => answer.warnings ?? []).map(({ message }) => message));
  for (const message of warnings) process.stderr.write(`Warning: ${message}\n`);
  speaker.result(visitors.length === 1 ? answers[0] : answers, () =>
    answers
      .map((answer, n) => `${speaker.style.bold(visitors[n] ?? 'a visitor')}\n${resultsTable(answer, speaker)}`)
      .join('\n\n'),
  );
}
