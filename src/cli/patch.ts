// `kindred patch items ITEM…` and `kindred patch users USER…`: new values of single attributes.
import { type Command, InvalidArgumentError } from 'commander';
import { addCommonOptions, type CommandContext, type CommonFlags, runCommand } from './command.ts';
import { EXIT, UsageError } from './exit-codes.ts';
import { collectNameValue, type NameValues } from './name-values.ts';
import { chooseProject } from './project-choice.ts';
import { formatCount } from './style.ts';

const KINDS = ['items', 'users'] as const;
type Kind = (typeof KINDS)[number];

interface PatchFlags extends CommonFlags {
  project?: string;
  dataset?: string;
  set?: NameValues;
  unset?: string[];
}

const EXAMPLES = `  $ kindred patch items film-0003 --set price=9.5 --set stock=0
  $ kindred patch items film-0003 film-0007 --set 'tags=["new","sale"]' --unset sale_until
  $ kindred patch users viewer-00001 --set country=BE`;

export function registerPatch(program: Command): void {
  const command = program
    .command('patch')
    .description('change single attributes of items or users')
    .argument('<kind>', 'items or users', knownKind)
    .argument('<ids...>', 'ids of up to 1000 of them')
    .option('--project <id or name>', 'the project (default: the only one)')
    .option('--dataset <id>', 'the dataset (default: of the project)')
    .option('--set <name=value>', 'a new value; may be repeated', collectNameValue('price=9.5 or tags=["a","b"]'))
    .option('--unset <name>', 'an attribute to remove; may be repeated', (name: string, names: string[] = []) => [
      ...names,
      name,
    ]);
  addCommonOptions(command, EXAMPLES).action((kind: Kind, ids: string[], flags: PatchFlags) =>
    runCommand(flags, (context) => patch(kind, ids, context)),
  );
}

function knownKind(text: string): Kind {
  const kind = KINDS.find((known) => known === text);
  if (kind === undefined) throw new InvalidArgumentError('Write items or users.');
  return kind;
}

async function patch(kind: Kind, ids: string[], { flags, kindred: connect, speaker }: CommandContext<PatchFlags>) {
  const { set, unset } = flags;
  if (set === undefined && unset === undefined) throw new UsageError('nothing to change: give --set or --unset');
  const kindred = connect();
  const datasetOf = async (field: 'item_dataset_id' | 'user_dataset_id') =>
    flags.dataset ?? (await chooseProject(kindred, flags.project))[field];
  const response =
    kind === 'items'
      ? await kindred.patchDatasetItems({
          item_dataset_id: await datasetOf('item_dataset_id'),
          items: ids.map((item_id) => ({ item_id, set, unset })),
        })
      : await kindred.patchDatasetUsers({
          user_dataset_id: await datasetOf('user_dataset_id'),
          users: ids.map((user_id) => ({ user_id, set, unset })),
        });
  for (const { id, message } of response.failures) process.stderr.write(`${id}: ${message}\n`);
  speaker.result(
    response,
    () => `${formatCount(response.succeed_ids.length)} of ${formatCount(ids.length)} ${kind} changed`,
  );
  if (response.failures.length > 0) process.exitCode = EXIT.RECORDS_REFUSED;
}
