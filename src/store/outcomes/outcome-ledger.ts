// The rows that one transaction changes, and from them what changes in the counters. Whether an item counts as shown, clicked
// or converted follows from its row alone: the counters change by the difference between the row before and after, whatever
// happened in between and in whatever order.
import { originKey, type Recommendation, type RecommendationOrigin } from '../../domain/recommendation.ts';
import { HOUR_MS, OUTCOME_FIGURES, type OutcomeFigures } from '../outcome-store.ts';
import {
  ask,
  type HourChange,
  type ItemKey,
  type ItemRow,
  type Series,
  type Steps,
  type Touch,
  type UserRow,
  type UserSums,
} from './outcome-tables.ts';

/** The item of a list's own row. */
export const WHOLE_LIST = 0;

interface UserChange {
  readonly series_no: number;
  readonly user_hash: number;
  clicks: number;
  targets: number;
  value: number;
}

const keyOf = ({ created_ms, random, item_hash }: ItemKey): string => `${created_ms}:${random}:${item_hash}`;

export class OutcomeLedger {
  readonly #rows = new Map<string, ItemRow>();
  /** Rows that change, as they were; null: new. */
  readonly #before = new Map<ItemRow, ItemRow | null>();
  readonly #hours = new Map<string, HourChange>();
  /** Most rows of one write are of lists of one hour. */
  #lastHour: HourChange | null = null;
  readonly #users = new Map<string, UserChange>();
  readonly #shown = new Map<string, ItemRow[]>();
  readonly #series = new Map<number, Series>();
  readonly #seriesByOrigin = new Map<string, Series | null>();

  *loadSeries(origins: readonly RecommendationOrigin[]): Steps<void> {
    const missing = new Map<string, RecommendationOrigin>();
    for (const origin of origins) {
      const key = originKey(origin);
      if (!this.#seriesByOrigin.has(key)) missing.set(key, origin);
    }
    const found = yield* ask('series', [...missing.values()]);
    [...missing.keys()].forEach((key, at) => {
      const series = found[at];
      this.#seriesByOrigin.set(key, series);
      if (series !== null) this.#series.set(series.series_no, series);
    });
  }

  seriesOf(origin: RecommendationOrigin): Series | null {
    return this.#seriesByOrigin.get(originKey(origin)) ?? null;
  }

  /** null: its project is gone. */
  seriesByNo(seriesNo: number): Series | null {
    return this.#series.get(seriesNo) ?? null;
  }

  /** Rows of items of lists, and of what was shown to users. */
  *loadItems(keys: readonly ItemKey[], touches: readonly Touch[]): Steps<void> {
    const missing = new Map(keys.map((key) => [keyOf(key), key]));
    for (const row of yield* ask('items', [...missing.values()])) this.#keep(row);
    const wanted = new Map(touches.map((touch) => [`${touch.userHash}:${touch.itemHash}`, touch]));
    for (const row of yield* ask('shown', [...wanted.values()])) {
      const kept = this.#keep(row);
      const key = `${row.user_hash}:${row.item_hash}`;
      const rows = this.#shown.get(key);
      if (rows === undefined) this.#shown.set(key, [kept]);
      else rows.push(kept);
    }
    const unknown = new Set<number>();
    for (const { series_no } of this.#rows.values()) if (!this.#series.has(series_no)) unknown.add(series_no);
    for (const series of yield* ask('seriesByNo', [...unknown])) this.#series.set(series.series_no, series);
  }

  shownTo({ userHash, itemHash }: Touch): readonly ItemRow[] {
    return this.#shown.get(`${userHash}:${itemHash}`) ?? [];
  }

  /** The row of an item of a list, to be changed. */
  rowOf(list: Recommendation, item_hash: number, series_no: number): ItemRow {
    const key = { created_ms: list.createdMs, random: list.random, item_hash };
    const text = keyOf(key);
    const known = this.#rows.get(text);
    if (known) {
      if (known.user_hash === 0) known.user_hash = list.userHash;
      return this.change(known);
    }
    const row: ItemRow = {
      ...key,
      ...{ user_hash: list.userHash, series_no, shown_ts: null, assist_hours: null },
      ...{ events: 0, targets: 0, assists: 0, assisted_targets: 0 },
    };
    this.#rows.set(text, row);
    this.#before.set(row, null);
    return row;
  }

  /** Says that a row changes. */
  change(row: ItemRow): ItemRow {
    if (!this.#before.has(row)) this.#before.set(row, { ...row });
    return row;
  }

  hourOf(series_no: number, createdMs: number): OutcomeFigures {
    return this.hourOfNumber(series_no, Math.floor(createdMs / HOUR_MS));
  }

  hourOfNumber(series_no: number, hour: number): OutcomeFigures {
    const last = this.#lastHour;
    if (last?.series_no === series_no && last.hour === hour) return last;
    const key = `${series_no}:${hour}`;
    let change = this.#hours.get(key);
    if (change === undefined) {
      const zeros = Object.fromEntries(OUTCOME_FIGURES.map((figure) => [figure, 0])) as unknown as OutcomeFigures;
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
      change = { series_no, user_hash, clicks: 0, targets: 0, value: 0 };
      this.#users.set(key, change);
    }
    return change;
  }

  /** Writes everything. */
  *save(): Steps<void> {
    const changed: ItemRow[] = [];
    for (const [row, before] of this.#before) {
      changed.push(row);
      if (row.item_hash !== WHOLE_LIST) this.#count(row, before);
    }
    yield* ask('saveItems', changed);
    yield* this.#saveUsers();
    yield* ask('addHours', [...this.#hours.values()]);
  }

  #count(row: ItemRow, before: ItemRow | null): void {
    const figures = this.hourOf(row.series_no, row.created_ms);
    const clicks = Number(isClicked(row)) - Number(isClicked(before));
    figures.clicked += clicks;
    figures.converted += Number(isConverted(row)) - Number(isConverted(before));
    figures.assisted_clicked += Number(isAssisted(row)) - Number(isAssisted(before));
    figures.assisted_converted += Number(isAssistedTarget(row)) - Number(isAssistedTarget(before));
    if (clicks !== 0 && row.user_hash !== 0 && this.#series.get(row.series_no)?.isExperiment) {
      this.userOf(row.series_no, row.user_hash).clicks += clicks;
    }
  }

  *#saveUsers(): Steps<void> {
    const changes = [...this.#users.values()];
    const rows = new Map<string, UserRow>();
    for (const row of yield* ask('users', changes)) rows.set(`${row.series_no}:${row.user_hash}`, row);
    const sums = new Map<number, UserSums>();
    const saved: UserRow[] = [];
    for (const { series_no, user_hash, clicks, targets, value } of changes) {
      const before = rows.get(`${series_no}:${user_hash}`);
      const row = before ? { ...before } : { series_no, user_hash, clicks: 0, targets: 0, value: 0 };
      row.clicks += clicks;
      row.targets += targets;
      row.value += value;
      saved.push(row);
      let sum = sums.get(series_no);
      if (sum === undefined) {
        sum = {
          ...{ series_no, users: 0, clicked_users: 0, target_users: 0, value_users: 0 },
          ...{ value_sum: 0, value_squares: 0 },
        };
        sums.set(series_no, sum);
      }
      const was = before ?? { clicks: 0, targets: 0, value: 0 };
      sum.users += before ? 0 : 1;
      sum.clicked_users += Number(row.clicks > 0) - Number(was.clicks > 0);
      sum.target_users += Number(row.targets > 0) - Number(was.targets > 0);
      sum.value_users += Number(row.value !== 0) - Number(was.value !== 0);
      sum.value_sum += row.value - was.value;
      sum.value_squares += row.value ** 2 - was.value ** 2;
    }
    yield* ask('saveUsers', saved);
    yield* ask('addUserSums', [...sums.values()]);
  }

  #keep(row: ItemRow): ItemRow {
    const key = keyOf(row);
    const known = this.#rows.get(key);
    if (known) return known;
    this.#rows.set(key, row);
    return row;
  }
}

const isClicked = (row: ItemRow | null): boolean => row !== null && row.events > 0;
const isConverted = (row: ItemRow | null): boolean => row !== null && row.targets > 0;
const isAssisted = (row: ItemRow | null): boolean => row !== null && row.assists > 0 && row.events === 0;
const isAssistedTarget = (row: ItemRow | null): boolean =>
  row !== null && row.assisted_targets > 0 && row.targets === 0;
