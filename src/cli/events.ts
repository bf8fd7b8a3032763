// `kindred events shards` and `kindred events move-shards`: where the shards of events are on PostgreSQL, and moving them to
// another server while the service runs.
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { EventShards, ListedPartition } from '../store/event-shards.ts';
import type { Speaker } from './command.ts';
import { CommandError, EXIT, UsageError } from './exit-codes.ts';
import { addStoreOptions, runStoreCommand, type StoreFlags } from './store-command.ts';
import { formatCount } from './style.ts';
import { tableView } from './table-view.ts';

interface MoveFlags extends StoreFlags {
  to?: string;
  here?: boolean;
  cancel?: boolean;
}

interface ShardRange {
  fromShard: number;
  toShard: number | null;
}

const MOVE_EXAMPLES = `  $ kindred events move-shards 500- --to postgres://kindred@db2.internal/events   # password: PGPASSWORD
  $ kindred events move-shards 0-499 --here      # a partition of its own on the main server
  $ kindred events move-shards --cancel          # gives up a move that was cut short`;

export function registerEvents(program: Command): void {
  const events = program.command('events').description('show where events are on PostgreSQL, and move them');

  addStoreOptions(
    events.command('shards').description('list the partitions of events: their shards, server and size'),
    '  $ kindred events shards\n  $ kindred events shards --json',
  ).action((flags: StoreFlags) => run(flags, show));

  addStoreOptions(
    events
      .command('move-shards')
      .description(
        'move shards of all datasets to another server, or into a partition of their own, while the service runs',
      )
      .argument('[shards]', 'the shards: 500-999, or 500- for all from 500 on', shardRange)
      .option('--to <address>', 'postgres://… of an empty database that the main server can reach')
      .addOption(new Option('--here', 'to the main server').conflicts('to'))
      .addOption(new Option('--cancel', 'give up a move that was cut short').conflicts(['to', 'here'])),
    MOVE_EXAMPLES,
  ).action((shards: ShardRange | undefined, flags: MoveFlags) =>
    run(flags, (store, speaker) => (flags.cancel ? cancel(store, speaker) : move(store, shards, flags, speaker))),
  );
}

function run(flags: StoreFlags, work: (shards: EventShards, speaker: Speaker) => Promise<void>): Promise<void> {
  return runStoreCommand(flags, async ({ databaseUrl }, speaker) => {
    if (!databaseUrl) {
      throw new CommandError(
        'SQLite keeps all events in one file. Set KINDRED_DATABASE_URL to use PostgreSQL.',
        EXIT.REFUSED,
      );
    }
    const { MoveRefused, openEventShards } = await import('../store/event-shards.ts');
    const shards = openEventShards(databaseUrl);
    try {
      await work(shards, speaker);
    } catch (error) {
      if (error instanceof MoveRefused) throw new CommandError(error.message, EXIT.REFUSED);
      throw error;
    } finally {
      await shards.close();
    }
  });
}

async function show(shards: EventShards, speaker: Speaker): Promise<void> {
  const partitions = await shards.list();
  const columns = [
    { title: 'shards', of: (one: ListedPartition) => `${one.from_shard}-${one.to_shard ?? ''}`, whole: true },
    { title: 'server', of: ({ server }: ListedPartition) => server ?? 'main' },
    { title: 'table', of: ({ table }: ListedPartition) => table },
    { title: 'events, about', of: ({ events }: ListedPartition) => formatCount(events), align: 'right' as const },
  ];
  speaker.result({ partitions }, () => tableView(partitions, columns, speaker.width, speaker.style));
}

async function move(
  shards: EventShards,
  range: ShardRange | undefined,
  { to, here }: MoveFlags,
  speaker: Speaker,
): Promise<void> {
  if (range === undefined) throw new UsageError('Name the shards, e.g. 500- for 500 and up.');
  if (to === undefined && !here) throw new UsageError('Name the target: --to postgres://… or --here.');
  if (to !== undefined && !(/^postgres(ql)?:\/\//.test(to) && URL.canParse(to))) {
    throw new UsageError(
      '--to must be an address postgres://…, with % codes for special characters, such as %23 for #',
    );
  }
  await shards.move({ ...range, url: to ?? null }, (text) => speaker.say(text));
  await show(shards, speaker);
}

async function cancel(shards: EventShards, speaker: Speaker): Promise<void> {
  const cancelled = await shards.cancel((text) => speaker.say(text));
  speaker.result({ cancelled }, () => (cancelled ? 'Move canceled. No events changed.' : 'No unfinished move.'));
}

function shardRange(text: string): ShardRange {
  const [, from, to] = /^(\d{1,9})-(\d{1,9})?$/.exec(text) ?? [];
  const range = { fromShard: Number(from), toShard: to === undefined ? null : Number(to) + 1 };
  if (from === undefined || (range.toShard !== null && range.toShard <= range.fromShard)) {
    throw new InvalidArgumentError('Write shards as 500-999, or 500- for 500 and up.');
  }
  return range;
}
