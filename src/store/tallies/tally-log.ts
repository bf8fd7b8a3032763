// Logs what one write changed in the number of events per type, item and minute. The bytes go into the write's own entry of
// `event_change`, in the same transaction as the events, so that counts are exact whenever the process ends. Every FOLD_EVERY
// versions the entries are folded into runs (tally-runs.ts).
import { MINUTE_MS } from '../../base/durations.ts';
import { VarintReader, VarintWriter } from './varints.ts';

const DAY_MINUTES = 24 * 60;
/** Events older than this are not counted. A day more than the longest window: clocks of nodes may differ. */
export const COUNTED_MINUTES = 31 * DAY_MINUTES;
/** Later minutes do not fit into four bytes; they are thousands of years ahead. */
const MAX_MINUTE = 2 ** 32 - 1;
/** A dataset's types beyond this number are not counted: type and item share one number in a run. */
const MAX_TYPES = 2 ** 20;

/** An event that was stored or is gone. */
export interface CountedEvent {
  ts: number;
  item: number;
  type: number;
  value: number;
}

export class TallyLog {
  readonly #bytes = new VarintWriter();
  readonly #firstMinute: number;
  #minute = 0;
  #item = 0;
  #type = 0;

  constructor(nowMs: number) {
    this.#firstMinute = Math.floor(nowMs / MINUTE_MS) - COUNTED_MINUTES;
  }

  /** `change` is 1 for an event that was stored and −1 for one that is gone. A dislike (a value of 0 or less) does not count. */
  add({ ts, item, type, value }: CountedEvent, change: number): void {
    const minute = Math.floor(ts / MINUTE_MS);
    if (minute < this.#firstMinute || minute > MAX_MINUTE || type >= MAX_TYPES || !(value > 0)) return;
    this.#bytes.signed(minute - this.#minute);
    this.#bytes.signed(type - this.#type);
    this.#bytes.signed(item - this.#item);
    this.#bytes.signed(change);
    this.#minute = minute;
    this.#type = type;
    this.#item = item;
  }

  /** Returns null if nothing was counted. */
  take(): Uint8Array | null {
    return this.#bytes.length === 0 ? null : this.#bytes.take();
  }
}

export type VisitTally = (minute: number, type: number, item: number, count: number) => void;

export function readLog(log: Uint8Array, visit: VisitTally): void {
  const reader = new VarintReader(log);
  let [minute, type, item] = [0, 0, 0];
  while (!reader.isAtEnd) {
    minute += reader.signed();
    type += reader.signed();
    item += reader.signed();
    visit(minute, type, item, reader.signed());
  }
}
