// `kindred placement …`: create, change, call and roll back placements.
import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { AnswerOf, RequestOf } from '../client/index.ts';
import { OBJECTIVES } from '../domain/objective.ts';
import { addCommonOptions, type CommandContext, runCommand, wholeNumber } from './command.ts';
import { UsageError } from './exit-codes.ts';
import {
  addListOptions,
  addSeenOptions,
  addWindowOptions,
  type ListFlags,
  listFields,
  type SeenFlags,
  seenFields,
  type WindowFlags,
  windowFields,
} from './list-options.ts';
import { type ProjectFlags, projectCommands, projectOf } from './project-commands.ts';
import { listOf, resultsTable } from './results-table.ts';
import { formatMinute } from './style.ts';
import { tableView } from './table-view.ts';

interface CallFlags extends ProjectFlags, ListFlags, SeenFlags, WindowFlags {
  user?: string;
  items?: string[];
  preview?: boolean;
}

type Context = CommandContext<ProjectFlags>;
type Definition = Omit<RequestOf<'/create-placement'>, 'project_id' | 'name'>;

export function registerPlacement(program: Command): void {
  const group = program.command('placement').description('named lists that can be changed without a release');
  const add = projectCommands(group);
  add('list', 'list the placements of the project', list);
  add('show <name>', 'print the definition of a placement as JSON', show, 'home-page');
  add(
    'set <name> <file>',
    'create or change a placement from a JSON file, as `show` prints it',
    set,
    'home-page home-page.json',
  );
  add('versions <name>', 'list who changed it and when', versions, 'home-page');
  add(
    'rollback <name> [version]',
    'make an earlier version active again (default: the one before)',
    rollback,
    'home-page 3',
  );
  add('delete <name>', 'delete it with its versions', remove, 'home-page');

  const call = group
    .command('call <names...>')
    .description('show the list of a placement, or of several on one page, no item twice')
    .option('--project <id or name>', 'the project (default: the only one)')
    .option('--user <id>', 'the user')
    .option('--items <item ids>', 'the items to start from or to rank, separated by commas', listOf)
    .addOption(
      new Option('--objective <name>', 'what the list is for (default: as the placement says)').choices(OBJECTIVES),
    )
    .option('--preview', 'for editors: count neither the lists as served nor the user as a visitor of an experiment');
  addListOptions(addSeenOptions(addWindowOptions(call)), { defaultLimit: null });
  const examples = `  $ kindred placement call home-page --user viewer-00001
  $ kindred placement call home-page trending-now --user viewer-00001`;
  addCommonOptions(call, examples).action((names: string[], flags: CallFlags) =>
    runCommand(flags, (context) => callPlacements(names, context)),
  );
}

async function list(context: Context): Promise<void> {
  const { kindred, project_id } = await projectOf(context);
  const response = await kindred.listPlacements({ project_id });
  const { speaker } = context;
  type Row = (typeof response.placements)[number];
  speaker.result(response, () => {
    if (response.placements.length === 0) return 'No placements. Create one with `kindred placement set`.';
    const columns = [
      { title: 'placement', of: (row: Row) => row.name },
      { title: 'kind', of: (row: Row) => row.kind },
      { title: 'rules', of: (row: Row) => row.rules.length, align: 'right' as const },
      { title: 'version', of: (row: Row) => row.version, align: 'right' as const },
      { title: 'changed', of: (row: Row) => formatMinute(row.changed_ts) },
    ];
    return tableView(response.placements, columns, speaker.width, speaker.style);
  });
}

async function show(context: Context, name: string): Promise<void> {
  const { kindred, project_id } = await projectOf(context);
  const placement = await kindred.getPlacement({ project_id, name });
  context.speaker.result(placement, () => JSON.stringify(definitionOf(placement), null, 2));
}

async function set(context: Context, name: string, file: string): Promise<void> {
  const definition = readDefinition(file);
  const { kindred, project_id } = await projectOf(context);
  const { placements } = await kindred.listPlacements({ project_id });
  const body = { ...definition, project_id, name };
  const placement = placements.some((known) => known.name === name)
    ? await kindred.updatePlacement(body)
    : await kindred.createPlacement(body);
  context.speaker.result(placement, () => `Placement ${name} is at version ${placement.version}.`);
}

async function versions(context: Context, name: string): Promise<void> {
  const { kindred, project_id } = await projectOf(context);
  const response = await kindred.listPlacementVersions({ project_id, name });
  const { speaker } = context;
  type Row = (typeof response.versions)[number];
  const columns = [
    { title: 'version', of: (row: Row) => row.version, align: 'right' as const },
    { title: 'change', of: (row: Row) => row.change.replace('_', ' ') },
    { title: 'when', of: (row: Row) => formatMinute(row.changed_ts) },
    { title: 'who', of: (row: Row) => row.changed_by.key_name ?? row.changed_by.key_id },
  ];
  speaker.result(response, () => tableView(response.versions, columns, speaker.width, speaker.style));
}

async function rollback(context: Context, name: string, version?: string): Promise<void> {
  const wanted = version === undefined ? undefined : wholeNumber('version', 1, 1e9)(version);
  const { kindred, project_id } = await projectOf(context);
  const placement = await kindred.rollbackPlacement({ project_id, name, version: wanted });
  context.speaker.result(placement, () => `Placement ${name} is at version ${placement.version}.`);
}

async function remove(context: Context, name: string): Promise<void> {
  const { kindred, project_id } = await projectOf(context);
  const placement = await kindred.deletePlacement({ project_id, name });
  context.speaker.result(placement, () => `Placement ${name} deleted.`);
}

async function callPlacements(names: readonly string[], context: CommandContext<CallFlags>): Promise<void> {
  const { flags, speaker } = context;
  const { kindred, project_id } = await projectOf(context);
  const { page_token, ...fields } = await listFields(kindred, project_id, flags);
  const request = {
    ...fields,
    ...windowFields(flags),
    ...seenFields(flags),
    user_id: flags.user,
    item_ids: flags.items,
    preview: flags.preview,
    attributes: flags.attributes,
  };
  const [name, ...others] = names;
  if (others.length > 0 && page_token !== undefined) throw new UsageError('--page-token is for one placement');
  const response =
    others.length === 0
      ? await kindred.callPlacement({ ...request, placement: name, page_token })
      : await kindred.composePage({ ...request, placements: names.map((one) => ({ name: one })) });
  const lists = 'placements' in response ? response.placements : [response];
  for (const { message } of lists.flatMap(({ warnings = [] }) => warnings)) {
    process.stderr.write(`Warning: ${message}\n`);
  }
  speaker.result(response, () =>
    lists.map((list, n) => `${speaker.style.bold(names[n])}\n${resultsTable(list, speaker)}`).join('\n\n'),
  );
}

/** A definition, or what `show --json` printed. */
function readDefinition(file: string): Definition {
  try {
    return definitionOf(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new InvalidArgumentError(`Cannot read ${file}: ${(error as Error).message}`);
  }
}

/** The fields that a user writes, without those that the service adds. */
function definitionOf(placement: AnswerOf<'/get-placement'>): Definition {
  const { project_id, name, created_ts, version, change, changed_ts, changed_by, ...definition } = placement;
  return definition;
}
