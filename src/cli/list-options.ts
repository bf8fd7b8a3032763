// Options of every command that recommends: what goes into the list and what it looks like.
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Kindred } from '../client/index.ts';
import { MAX_LIST_ITEMS } from '../domain/list-limits.ts';
import { DEFAULT_TOUCH_DAYS, MAX_TOUCH_DAYS, OBJECTIVES, type Objective } from '../domain/objective.ts';
import { MAX_WINDOW_HOURS } from '../domain/top-list.ts';
import { decimalNumber, wholeNumber } from './command.ts';
import { chooseModel } from './model-choice.ts';
import { collectNameValue, type NameValues } from './name-values.ts';
import { listOf } from './results-table.ts';

/** Flags that choose the items of a list. */
export interface ChoiceFlags {
  filter?: string;
  filterParam?: NameValues;
  exclude?: string[];
  excludeTypes?: string[];
  boost?: { filter_query: string; factor: number }[];
  pin?: { position: number; item_id: string }[];
  maxPer?: NameValues;
  diversity?: number;
}

export interface ListFlags extends ChoiceFlags {
  project?: string;
  limit?: number;
  attributes?: string[];
  session?: string[];
  context?: NameValues;
  model?: string;
  pageToken?: string;
  explain?: boolean;
  objective?: Objective;
}

interface ListKind {
  /** Without a default the service decides, e.g. by a placement. */
  defaultLimit?: number | null;
  /** Whether the list has a length and pages. */
  pages?: boolean;
  explains?: boolean;
  hasModel?: boolean;
}

/** Adds the options that the commands of all lists share, except those that this kind of list does not have. */
export function addListOptions(
  command: Command,
  { defaultLimit = 10, pages = true, explains = true, hasModel = true }: ListKind = {},
): Command {
  if (pages) {
    command
      .option('--limit <n>', 'how many items', wholeNumber('--limit', 1, MAX_LIST_ITEMS), defaultLimit ?? undefined)
      .option('--page-token <token>', 'next_page_token of the page before (see --json)');
  }
  command
    .option('--attributes <names>', 'item attributes to show, separated by commas (default: a few)', listOf)
    .option(
      '--session <item ids>',
      'items the user is looking at now, oldest first, separated by commas; not stored',
      listOf,
    );
  addChoiceOptions(addContextOption(command));
  if (hasModel) command.option('--model <id or name>', 'the model to use (default: the deployed one)');
  return explains ? command.option('--explain', 'show scores and reasons') : command;
}

export function addChoiceOptions(command: Command): Command {
  return command
    .option('--filter <query>', 'only items that match, e.g. "price < 20"')
    .option(
      '--filter-param <name=value>',
      'value of $name in the filter (repeatable)',
      collectNameValue('max=20 or brands=["a","b"]'),
    )
    .option('--exclude <item ids>', 'items to exclude, separated by commas', listOf)
    .option('--exclude-types <types>', 'exclude items the user had such an event with, separated by commas', listOf)
    .option('--boost <factor:query>', 'multiply the chance of matching items, e.g. "2:price < 20" (repeatable)', boost)
    .option('--pin <position:item>', 'put an item at a place, e.g. 1:film-0003 (repeatable)', pin)
    .option(
      '--max-per <attribute=n>',
      'at most n items with the same value (repeatable)',
      collectNameValue('category=2'),
    )
    .option('--diversity <number>', 'from 0 to 1: near-duplicates in taste move down', decimalNumber(0, 1));
}

export function addContextOption(command: Command): Command {
  return command.option(
    '--context <name=value>',
    'a context attribute, as in events (repeatable)',
    collectNameValue('device=phone'),
  );
}

/** Flags about what the user already knows. */
export interface SeenFlags {
  excludeSeen?: boolean;
  touchDays?: number;
}

export function addSeenOptions(command: Command): Command {
  return addExcludeSeenOptions(command).option(
    '--touch-days <n>',
    `an item is new again this many days after an event other than the target event (default: ${DEFAULT_TOUCH_DAYS})`,
    wholeNumber('--touch-days', 1, MAX_TOUCH_DAYS),
  );
}

export function addExcludeSeenOptions(command: Command): Command {
  return command
    .option('--exclude-seen', 'exclude items the user already had (default: the objective decides)')
    .option('--no-exclude-seen', 'include items the user already had');
}

export function seenFields(flags: SeenFlags) {
  return { exclude_seen: flags.excludeSeen, touch_days: flags.touchDays };
}

/** Flags of lists that count events. */
export interface WindowFlags {
  hours?: number;
  eventType?: string;
}

export function addWindowOptions(command: Command): Command {
  return command
    .option(
      '--hours <n>',
      'of top lists: the last hours that count (default: 168, trending 24, newest all)',
      wholeNumber('--hours', 1, MAX_WINDOW_HOURS),
    )
    .option('--event-type <type>', 'of popular and trending lists: count only events of this type');
}

export function windowFields(flags: WindowFlags) {
  return { window_hours: flags.hours, event_type: flags.eventType };
}

/** The option --objective of lists that do not come from the user's history. */
export function objectiveOfOthers(): Option {
  return new Option('--objective <name>', 'which items come first: new to the user, started or had before').choices(
    OBJECTIVES,
  );
}

/** Converts the flags to fields of a request. */
export async function listFields(kindred: Kindred, projectId: string, flags: ListFlags) {
  const model = flags.model === undefined ? undefined : await chooseModel(kindred, projectId, flags.model);
  return {
    project_id: projectId,
    ...choiceFields(flags),
    limit: flags.limit,
    session_events: flags.session?.map((item_id) => ({ item_id })),
    context: flags.context,
    model_id: model?.model_id,
    page_token: flags.pageToken,
    explain: flags.explain,
    objective: flags.objective,
  };
}

export function choiceFields(flags: ChoiceFlags) {
  return {
    filter_query: flags.filter,
    filter_params: flags.filterParam,
    exclude_item_ids: flags.exclude,
    exclude_event_types: flags.excludeTypes,
    boosts: flags.boost,
    pins: flags.pin,
    diversity: flags.maxPer ? { max_per: flags.maxPer as Record<string, number> } : flags.diversity,
  };
}

function boost(text: string, known: ListFlags['boost'] = []): ListFlags['boost'] {
  const [, factor, filter_query] = /^([\d.]+):(.+)$/s.exec(text) ?? [];
  if (!(Number(factor) > 0)) throw new InvalidArgumentError('Write factor:query, e.g. "2:price < 20".');
  return [...known, { factor: Number(factor), filter_query }];
}

function pin(text: string, known: ListFlags['pin'] = []): ListFlags['pin'] {
  const [, position, item_id] = /^(\d+):(.+)$/s.exec(text) ?? [];
  if (item_id === undefined) throw new InvalidArgumentError('Write position:item, e.g. 1:film-0003.');
  return [...known, { position: Number(position), item_id }];
}
