// The columns of a block of events, on shared memory: reader threads write them, the thread that asked reads them.
import type { EventBlock } from '../event-store.ts';

/** The arrays of a block of events. */
export type BlockColumns = Omit<EventBlock, 'length'>;

/** Allocates columns for this many events. */
export function sharedColumns(events: number): BlockColumns {
  const u32 = () => new Uint32Array(new SharedArrayBuffer(events * 4));
  const f64 = () => new Float64Array(new SharedArrayBuffer(events * 8));
  return { user: u32(), item: u32(), type: u32(), ts: f64(), value: f64() };
}

/** The first events of the columns. */
export function blockOf({ user, item, type, ts, value }: BlockColumns, length: number): EventBlock {
  return {
    length,
    user: user.subarray(0, length),
    item: item.subarray(0, length),
    type: type.subarray(0, length),
    ts: ts.subarray(0, length),
    value: value.subarray(0, length),
  };
}
