// `kindred top KIND`: popular, trending or new items, as a table.
import { type Command, InvalidArgumentError } from 'commander';
import { plural } from '../base/plural.ts';
import { TOP_LISTS, type TopListKind } from '../domain/top-list.ts';
import { addCommonOptions, type CommandContext, type CommonFlags, runCommand } from './command.ts';
import {
  addExcludeSeenOptions,
  addListOptions,
  addWindowOptions,
  type ListFlags,
  listFields,
  objectiveOfOthers,
  type SeenFlags,
  seenFields,
  type WindowFlags,
  windowFields,
} from './list-options.ts';
import { chooseProject } from './project-choice.ts';
import { resultsTable, type ScoreText, someAttributes } from './results-table.ts';
import { formatMinute } from './style.ts';

interface TopFlags extends CommonFlags, ListFlags, SeenFlags, WindowFlags {
  user?: string;
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
    .option('--user <id>', 'who sees it: for filters with user., and to leave out what the user dislikes')
    .addOption(objectiveOfOthers());
  addListOptions(addExcludeSeenOptions(addWindowOptions(command)), { explains: false, hasModel: false });
  addCommonOptions(command, EXAMPLES).action((kind: TopListKind, flags: TopFlags) =>
    runCommand(flags, (context) => top(kind, context)),
  );
}

function knownKind(text: string): TopListKind {
  const kind = TOP_LISTS.find((known) => known === text);
  if (kind === undefined) throw new InvalidArgumentError('Write popular, trending or newest.');
  return kind;
}

async function top(by: TopListKind, { flags, kindred: connect, speaker }: CommandContext<TopFlags>) {
  const kindred = connect();
  const project = await chooseProject(kindred, flags.project);
  const response = await kindred.listTopItems({
    ...(await listFields(kindred, project.project_id, flags)),
    ...windowFields(flags),
    ...seenFields(flags),
    by,
    user_id: flags.user,
    attributes: flags.attributes ?? (await someAttributes(kindred, project)),
  });
  for (const { message } of response.warnings ?? []) process.stderr.write(`Warning: ${message}\n`);
  const list = () =>
    response.results.length === 0 ? emptyText(response) : resultsTable(response, speaker, scoreText(by, flags));
  speaker.result(response, () => `${speaker.style.bold(`${by} items`)}\n${list()}`);
}

/** New items have their time as score. Boosts multiply it, so then it says nothing. */
export function scoreText(by: TopListKind, { boost = [] }: Pick<ListFlags, 'boost'>): ScoreText | null | undefined {
  if (by !== 'newest') return undefined;
  return boost.length > 0 ? null : (ms) => (ms === 0 ? '' : formatMinute(ms));
}

/** Data of a past year has no events in any window. */
function emptyText({ by, window_hours }: { by: string; window_hours: number | null }): string {
  if (by === 'newest' || window_hours === null) return 'No items match.';
  const what = by === 'trending' ? 'No matching item rises' : 'No matching item has events';
  return `${what} in the last ${plural(window_hours, 'hour')}. Events count at their own time.`;
}
