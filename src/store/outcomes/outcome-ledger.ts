// The rows that one transaction changes, and from them what changes in the counters. Whether an item counts as shown, clicked
// or converted follows from its row alone: the counters change by the difference between the row before and after, whatever
// happened in between and in whatever order.
import { HOUR_MS } from '../../base/durations.ts';
import { originKey, type Recommendation, type RecommendationOrigin } from '../../domain/recommendation.ts';
import { COUNTERS, type Counters, squareOf } from './outcome-sums.ts';
import {
  ask,
  type HourChange,
  type ItemKey,
  type ItemRow,
  type Series,
  type Steps,
  type Touch,
  type UserRow,
  type UserSumsChange,
} from './outcome-tables.ts';

/** The item of a list's own row. */
export const WHOLE_LIST = 0;

interface UserChange {
  readonly series_no: number;
  readonly user_hash: number;
  /** true if the user got a list */
  isVisit: boolean;
  clicks: number;
  targets: number;
  value: number;
}

/**
 * The key is a number, because texts cost more than the rest of a row. Rows with equal keys by chance are told apart by
 * comparison.
 */
const keyOf = ({ random, item_hash }: ItemKey): number => random + item_hash;

export class OutcomeLedger {
  readonly #rows = new Map<number, ItemRow[]>();
  /** Copies of loaded rows from before they changed. */
  readonly #before = new Map<ItemRow, ItemRow>();
  /** Rows that were not loaded. They are assumed to be new until the database says otherwise. */
  readonly #fresh: ItemRow[] = [];
  readonly #hours = new Map<string, HourChange>();
  /** The last one used: most rows of one write belong to lists of one hour. */
  #lastHour: HourChange | null = null;
  readonly #users = new Map<string, UserChange>();
  readonly #shown = new Map<string, ItemRow[]>();
  readonly #series = new Map<number, Series>();
  readonly #seriesByOrigin = new Map<string, Series | null>();

  *loadSeries(origins: readonly (RecommendationOrigin | Recommendation)[]): Steps<void> {
    const missing = new Map<string, RecommendationOrigin>();
    for (const origin of origins) {
      const key = seriesKeyOf(origin);
      if (!this.#seriesByOrigin.has(key)) missing.set(key, origin);
    }
    const found = yield* ask('series', [...missing.values()]);
    [...missing.keys()].forEach((key, at) => {
      const series = found[at];
      this.#seriesByOrigin.set(key, series);
      if (series !== null) this.#series.set(series.series_no, series);
    });
  }

  seriesOf(origin: RecommendationOrigin | Recommendation): Series | null {
    return this.#seriesByOrigin.get(seriesKeyOf(origin)) ?? null;
  }

  /** Returns null if the project was deleted. */
  seriesByNo(seriesNo: number): Series | null {
    return this.#series.get(seriesNo) ?? null;
  }

  /** Loads rows of items of lists, and of items that were shown to users. */
  *loadItems(keys: readonly ItemKey[], touches: readonly Touch[]): Steps<void> {
    for (const row of yield* ask('items', keys)) this.#keep(row);
    const wanted = new Map(touches.map((touch) => [`${touch.userHash}:${touch.itemHash}`, touch]));
    for (const row of yield* ask('shown', [...wanted.values()])) {
      const kept = this.#keep(row);
      const key = `${row.user_hash}:${row.item_hash}`;
      const rows = this.#shown.get(key);
      if (rows === undefined) this.#shown.set(key, [kept]);
      else rows.push(kept);
    }
    const unknown = new Set<number>();
    for (const rows of this.#rows.values()) {
      for (const { series_no } of rows) if (!this.#series.has(series_no)) unknown.add(series_no);
    }
    for (const series of yield* ask('seriesByNo', [...unknown])) this.#series.set(series.series_no, series);
  }

  shownTo({ userHash, itemHash }: Touch): readonly ItemRow[] {
    return this.#shown.get(`${userHash}:${itemHash}`) ?? [];
  }

  /** Returns the row of an item of a list, to be changed. A row that was not loaded may only be added to. */
  rowOf({ createdMs: created_ms, random, userHash }: Recommendation, item_hash: number, series_no: number): ItemRow {
    const known = this.#find({ created_ms, random, item_hash });
    if (known) {
      known.listUser = userHash;
      if (known.user_hash === 0) known.user_hash = userHash;
      return this.change(known);
    }
    const row: ItemRow = {
      created_ms,
      random,
      item_hash,
      user_hash: userHash,
      series_no,
      shown_ts: null,
      assist_hours: null,
      events: 0,
      targets: 0,
      assists: 0,
      assisted_targets: 0,
      isFresh: true,
      listUser: userHash,
    };
    this.#insert(row);
    this.#fresh.push(row);
    return row;
  }

  /** Records that a row changes. */
  change(row: ItemRow): ItemRow {
    if (!row.isFresh && !this.#before.has(row)) this.#before.set(row, { ...row });
    return row;
  }

  hourOf(series_no: number, createdMs: number): HourChange {
    return this.hourOfNumber(series_no, Math.floor(createdMs / HOUR_MS));
  }

  hourOfNumber(series_no: number, hour: number): HourChange {
    const last = this.#lastHour;
    if (last?.series_no === series_no && last.hour === hour) return last;
    const key = `${series_no}:${hour}`;
    let change = this.#hours.get(key);
    if (change === undefined) {
      const zeros = Object.fromEntries(COUNTERS.map((name) => [name, 0])) as unknown as Counters;
      change = { series_no, hour, ...zeros };
      this.#hours.set(key, change);
    }
    this.#lastHour = change;
    return change;
  }

  userOf(series_no: number, user_hash: number): UserChange {
    const key = `${series_no}:${user_hash}`;
    let change = this.#users.get(key);
    if (change === undefined) {
      change = { series_no, user_hash, isVisit: false, clicks: 0, targets: 0, value: 0 };
      this.#users.set(key, change);
    }
    return change;
  }

  visit(series_no: number, user_hash: number): void {
    this.userOf(series_no, user_hash).isVisit = true;
  }

  /** Writes all changes. */
  *save(): Steps<void> {
    for (const stored of yield* ask('addItems', this.#fresh)) this.#addTo(stored);
    for (const row of this.#fresh) if (row.isFresh && row.item_hash !== WHOLE_LIST) this.#count(row, null);
    for (const [row, before] of this.#before) if (row.item_hash !== WHOLE_LIST) this.#count(row, before);
    yield* ask('changeItems', [...this.#before.keys()]);
    yield* this.#saveUsers();
    yield* ask('addHours', [...this.#hours.values()]);
  }

  /** Corrects a row that was assumed to be new but was stored before. */
  #addTo(stored: ItemRow): void {
    const row = this.#find(stored)!;
    const { user_hash, events, targets } = row;
    Object.assign(row, stored, { isFresh: false, user_hash: stored.user_hash || user_hash });
    row.events += events;
    row.targets += targets;
    this.#before.set(row, stored);
  }

  #count(row: ItemRow, before: ItemRow | null): void {
    const figures = this.hourOf(row.series_no, row.created_ms);
    const clicks = Number(isClicked(row)) - Number(isClicked(before));
    figures.clicked += clicks;
    figures.converted += Number(isConverted(row)) - Number(isConverted(before));
    figures.assisted_clicked += Number(isAssisted(row)) - Number(isAssisted(before));
    figures.assisted_converted += Number(isAssistedTarget(row)) - Number(isAssistedTarget(before));
    // This uses listUser, not row.user_hash: a merge changes the hash, and a viewer of a list made for nobody is not a
    // user of the experiment.
    if (clicks !== 0 && row.listUser && this.#series.get(row.series_no)?.isExperiment) {
      this.userOf(row.series_no, row.listUser).clicks += clicks;
    }
  }

  *#saveUsers(): Steps<void> {
    const changes = [...this.#users.values()];
    const rows = new Map<string, UserRow>();
    for (const row of yield* ask('users', changes)) rows.set(`${row.series_no}:${row.user_hash}`, row);
    const sums = new Map<number, UserSumsChange>();
    const saved: UserRow[] = [];
    for (const { series_no, user_hash, isVisit, clicks, targets, value } of changes) {
      const before = rows.get(`${series_no}:${user_hash}`);
      // Events of others may name a list of a user who was erased. Sent again or taken back, they leave no row about that user.
      if (!before && !isVisit && clicks <= 0 && targets <= 0) continue;
      const row = before ? { ...before } : { series_no, user_hash, clicks: 0, targets: 0, value: 0 };
      row.clicks = Math.max(0, row.clicks + clicks);
      row.targets = Math.max(0, row.targets + targets);
      row.value = row.targets === 0 ? 0 : row.value + value;
      saved.push(row);
      let sum = sums.get(series_no);
      if (sum === undefined) {
        sum = {
          series_no,
          users: 0,
          clicked_users: 0,
          target_users: 0,
          value_users: 0,
          value_sum: 0,
          value_squares: 0,
          value_squares_high: 0,
        };
        sums.set(series_no, sum);
      }
      const was = before ?? { clicks: 0, targets: 0, value: 0 };
      sum.users += before ? 0 : 1;
      sum.clicked_users += Number(row.clicks > 0) - Number(was.clicks > 0);
      sum.target_users += Number(row.targets > 0) - Number(was.targets > 0);
      sum.value_users += Number(row.value !== 0) - Number(was.value !== 0);
      sum.value_sum += finiteOr0(row.value - was.value);
      const [square, squareBefore] = [squareOf(row.value), squareOf(was.value)];
      sum.value_squares += finiteOr0(square.rest - squareBefore.rest);
      sum.value_squares_high += finiteOr0(square.high - squareBefore.high);
    }
    yield* ask('saveUsers', saved);
    yield* ask('addUserSums', [...sums.values()]);
  }

  #keep(row: ItemRow): ItemRow {
    const known = this.#find(row);
    if (known) return known;
    this.#insert(row);
    return row;
  }

  #find(key: ItemKey): ItemRow | undefined {
    const { created_ms, random, item_hash } = key;
    return this.#rows
      .get(keyOf(key))
      ?.find((row) => row.created_ms === created_ms && row.random === random && row.item_hash === item_hash);
  }

  #insert(row: ItemRow): void {
    const rows = this.#rows.get(keyOf(row));
    if (rows === undefined) this.#rows.set(keyOf(row), [row]);
    else rows.push(row);
  }
}

const seriesKeyOf = (origin: RecommendationOrigin | Recommendation): string =>
  'seriesKey' in origin ? origin.seriesKey : originKey(origin);

/** Older versions counted values of any size, so a stored square may be infinite. */
const finiteOr0 = (difference: number): number => (Number.isFinite(difference) ? difference : 0);

const isClicked = (row: ItemRow | null): boolean => row !== null && row.events > 0;
const isConverted = (row: ItemRow | null): boolean => row !== null && row.targets > 0;
const isAssisted = (row: ItemRow | null): boolean => row !== null && row.assists > 0 && row.events === 0;
const isAssistedTarget = (row: ItemRow | null): boolean =>
  row !== null && row.assisted_targets > 0 && row.targets === 0;
