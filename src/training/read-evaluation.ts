// The two files of `kindred evaluate` → what to train on and what each user is to be recommended. Files that cannot give a
// meaningful figure are refused here, before training, with what was found in them.

import { IdTable } from '../base/id-table.ts';
import { inCanonicalOrder } from '../dataset/canonical-order.ts';
import { type EventTable, EventTableBuilder, MAX_TYPES } from '../dataset/event-table.ts';
import type { ItemRoom } from '../dataset/kept-items.ts';
import { type EventFile, type EventFileFormat, openEventFile } from '../import/event-file.ts';
import type { PlanOptions } from '../import/import-plan.ts';
import { UnreadableTable } from '../import/table.ts';
import { FileRows } from './file-rows.ts';

/** Whether the order of a user's events carries meaning. */
export type OrderReading = 'auto' | 'set' | 'order';

export interface EvaluationFiles {
  readonly train: string;
  readonly test: string;
  readonly format: EventFileFormat | 'auto';
  readonly reading: OrderReading;
  readonly targetEventType?: string;
  /** Which column is a field, if its name does not tell. */
  readonly map?: PlanOptions['map'];
}

export interface TrainFile {
  readonly format: EventFileFormat;
  readonly table: EventTable;
  /** items dropped because there was no room for them */
  readonly itemsLeftOut: number;
  readonly users: IdTable;
  /** row of the table by user, −1 when all its events were passed over */
  readonly rowOfUser: Int32Array;
  readonly reading: 'set' | 'order';
}

/** Items each user of the table is to be recommended: user u's are items[offsets[u]] up to offsets[u + 1]. */
export interface HeldOut {
  readonly offsets: Uint32Array;
  readonly items: Uint32Array;
  /** time of the first one; NaN where the file has no times */
  readonly firstTs: Float64Array;
}

const DEFAULT_TYPE = 'interaction';
const SORTED_SHARE = 0.95;
const SHOWN_IDS = 3;
/** Rows between two progress messages. */
const ROWS_TOLD = 1e6;

export interface TrainFileOptions {
  /** if left out, all items fit */
  readonly room?: ItemRoom | undefined;
  /** called with the number of rows read so far */
  readonly onRows?: ((rows: number) => void) | undefined;
}

export async function readTrainFile(
  input: EvaluationFiles,
  { room, onRows }: TrainFileOptions = {},
): Promise<TrainFile> {
  const { format, events } = await open(input.train, input);
  const users = new IdTable();
  const items = new IdTable();
  const types = new IdTable();
  // Number 0, as one of the types that a table has room for. Where no event has it, training says what it found instead.
  if (input.targetEventType !== undefined) types.intern(input.targetEventType);
  const rows = new FileRows();
  for await (const { user, item, type, value, ts } of events) {
    const numbers = { user: users.intern(user), item: items.intern(item), type: types.intern(type ?? DEFAULT_TYPE) };
    rows.add({ ...numbers, value, ts: ts ?? rows.length });
    if (rows.length % ROWS_TOLD === 0) onRows?.(rows.length);
  }
  if (rows.length === 0) throw new UnreadableTable(`${input.train} has no events (read as ${format})`);
  const plain = format === 'lines' || format === 'sequences';
  const reading = input.reading === 'auto' ? guessReading(rows, items, format) : input.reading;
  if (reading === 'set' && plain) rows.ts.fill(0);
  if (input.reading === 'set') rows.ts.fill(0);
  const { builder, userOfRow } = tableOf(rows);
  const typeNames = Array.from({ length: Math.min(types.length, MAX_TYPES) }, (_, type) => types.at(type)!);
  const given = builder.finish({ itemIds: items, typeNames, targetType: 0 });
  const { table, formerRows, itemsLeftOut } = await inCanonicalOrder(given, room);
  const rowOfUser = new Int32Array(users.length).fill(-1);
  for (const [row, former] of formerRows.entries()) rowOfUser[userOfRow[former]] = row;
  return { format, table, itemsLeftOut, users, rowOfUser, reading };
}

/** `userOfRow`: of the users who have usable events. */
function tableOf(rows: FileRows): { builder: EventTableBuilder; userOfRow: Uint32Array } {
  const builder = new EventTableBuilder();
  const userOfRow = new Uint32Array(rows.users);
  let user = -1;
  for (const row of rows.inOrder()) {
    if (rows.user[row] !== user) {
      user = rows.user[row];
      builder.beginUser();
    }
    if (builder.add(rows.item[row], rows.type[row], rows.value[row], rows.ts[row]))
      userOfRow[builder.userCount - 1] = user;
  }
  return { builder, userOfRow };
}

/** User lines whose items are mostly in ascending order of their ids say nothing about time. */
function guessReading(rows: FileRows, items: IdTable, format: EventFileFormat): 'set' | 'order' {
  if (format !== 'lines') return 'order';
  let pairs = 0;
  let ascending = 0;
  for (let row = 1; row < rows.length; row++) {
    if (rows.user[row] !== rows.user[row - 1]) continue;
    const a = Number(items.at(rows.item[row - 1]));
    const b = Number(items.at(rows.item[row]));
    if (Number.isNaN(a) || Number.isNaN(b)) return 'order';
    pairs++;
    if (a < b) ascending++;
  }
  return pairs > 0 && ascending / pairs > SORTED_SHARE ? 'set' : 'order';
}

export async function readTestFile(input: EvaluationFiles, train: TrainFile): Promise<HeldOut> {
  const { table, users, rowOfUser } = train;
  const { format, events } = await open(input.test, input, train.format);
  const wanted = new Map<number, Set<number>>();
  const firstTs = new Float64Array(table.userCount).fill(Number.NaN);
  const unknownItems = new IdTable();
  const testUsers = new IdTable();
  let rows = 0;
  let knownUsers = 0;
  let knownItems = 0;
  for await (const event of events) {
    rows++;
    testUsers.intern(event.user);
    const user = users.indexOf(event.user);
    const row = user < 0 ? -1 : rowOfUser[user];
    if (row < 0 || !(event.value > 0)) continue;
    knownUsers++;
    if (event.type !== null && input.targetEventType !== undefined && event.type !== input.targetEventType) continue;
    const item = table.itemIds.indexOf(event.item);
    if (item >= 0) knownItems++;
    if (event.ts !== null && !(firstTs[row] <= event.ts)) firstTs[row] = event.ts;
    // An item training never saw cannot be found: it stays among what is wanted, out of reach.
    const own = wanted.get(row) ?? new Set();
    wanted.set(row, own.add(item >= 0 ? item : table.itemCount + unknownItems.intern(event.item)));
  }
  const readAs = `${input.test} (read as ${format})`;
  if (rows === 0) throw new UnreadableTable(`${readAs} has no events`);
  if (knownUsers === 0) {
    throw new UnreadableTable(
      `none of the ${testUsers.length} users of ${readAs} has a usable event in ${input.train}. ${compare(users, testUsers)}`,
    );
  }
  if (knownItems === 0 && unknownItems.length === 0) {
    throw new UnreadableTable(`${readAs} has no event of the type ${input.targetEventType} with a positive value`);
  }
  if (knownItems === 0) {
    throw new UnreadableTable(
      `none of the items held out in ${readAs} is in ${input.train}, so none can be recommended. ${compare(table.itemIds, unknownItems)}`,
    );
  }
  return {
    ...flatten(wanted, table.userCount),
    firstTs: format === 'lines' || format === 'sequences' ? firstTs.fill(Number.NaN) : firstTs,
  };
}

/** `wanted` is keyed by row. */
function flatten(wanted: ReadonlyMap<number, Set<number>>, userCount: number): Pick<HeldOut, 'offsets' | 'items'> {
  const offsets = new Uint32Array(userCount + 1);
  const items: number[] = [];
  for (let row = 0; row < userCount; row++) {
    for (const item of wanted.get(row) ?? []) items.push(item);
    offsets[row + 1] = items.length;
  }
  return { offsets, items: Uint32Array.from(items) };
}

/** If no format is given, the test file is read like the training file, unless it is recognized as a table. */
async function open(path: string, input: EvaluationFiles, like?: EventFileFormat): Promise<EventFile> {
  const format = input.format === 'auto' ? undefined : input.format;
  const plain = like === 'lines' || like === 'sequences' ? like : undefined;
  return openEventFile(path, { format: format ?? plain, map: input.map });
}

interface Ids {
  readonly length: number;
  at(index: number): string | undefined;
}

function compare(trained: Ids, tested: Ids): string {
  return `The training file has ${shown(trained)}; the test file has ${shown(tested)}.`;
}

function shown(ids: Ids): string {
  const some = Array.from({ length: Math.min(ids.length, SHOWN_IDS) }, (_, n) => ids.at(n));
  return `${some.join(', ')}${ids.length > SHOWN_IDS ? ', …' : ''}`;
}
