// `kindred recommend USER…`: recommendations as a table.
import { type Command, Option } from 'commander';
import type { Recommendation } from '../client/index.ts';
import { OBJECTIVES } from '../domain/objective.ts';
import { addCommonOptions, type CommandContext, type CommonFlags, runCommand } from './command.ts';
import { UsageError } from './exit-codes.ts';
import {
  addListOptions,
  addSeenOptions,
  type ListFlags,
  listFields,
  type SeenFlags,
  seenFields,
} from './list-options.ts';
import { chooseProject } from './project-choice.ts';
import { resultsTable, someAttributes } from './results-table.ts';

interface RecommendFlags extends CommonFlags, ListFlags, SeenFlags {}

const EXAMPLES = `  $ kindred recommend viewer-00001
  $ kindred recommend viewer-00001 viewer-00002 --limit 5 --attributes name,price
  $ kindred recommend viewer-00001 --filter "genres = 'Comedy' AND price < 5" --explain
  $ kindred recommend viewer-00001 --filter 'price < $max AND genres = user.genre' --filter-param max=5
  $ kindred recommend viewer-00001 --objective continue
  $ kindred recommend viewer-00001 --boost "2:price < 5" --pin 1:film-0003 --max-per genres=2
  $ kindred recommend --session film-0003,film-0007 --context device=phone
  $ kindred recommend viewer-00001 --no-exclude-seen --json`;

export function registerRecommend(program: Command): void {
  const command = program
    .command('recommend')
    .description('recommend items to users')
    .argument('[users...]', 'user ids (optional with --session)')
    .option('--project <id or name>', 'the project (default: the only one)')
    .addOption(
      new Option('--objective <name>', 'what the list is for (default: auto, the model decides)').choices(OBJECTIVES),
    );
  addListOptions(addSeenOptions(command));
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
  const fields = { ...(await listFields(kindred, project.project_id, flags)), ...seenFields(flags) };
  const responses: Recommendation[] = [];
  const visitors = users.length === 0 && flags.session ? [undefined] : users;
  for (const user_id of visitors) {
    responses.push(await kindred.recommendItemsToUser({ ...fields, user_id, attributes }));
  }
  const warnings = new Set(responses.flatMap((response) => response.warnings ?? []).map(({ message }) => message));
  for (const message of warnings) process.stderr.write(`Warning: ${message}\n`);
  speaker.result(visitors.length === 1 ? responses[0] : responses, () =>
    responses
      .map((response, n) => `${speaker.style.bold(visitors[n] ?? 'a visitor')}\n${resultsTable(response, speaker)}`)
      .join('\n\n'),
  );
}
