// The moment of an event: 17 bytes that sort as dataset, time, order of writing. They are bytes of its place (event-place.ts).
//
//   0 dataset u32 | 4 ts u56 | 11 seq u48
import { PlaceEncoder } from './event-place.ts';

export const MOMENT_BYTES = 17;
const TWO_32 = 2 ** 32;

/** Writes the moment of a place into `moment`. */
export function momentOf(place: Uint8Array, moment: Uint8Array): Uint8Array {
  moment.set(place.subarray(0, 4));
  moment.set(place.subarray(11, 24), 4);
  return moment;
}

/** Reads the seq at the end of each moment. Moments are laid end to end. */
export function seqsOf(moments: Uint8Array): number[] {
  const view = new DataView(moments.buffer, moments.byteOffset, moments.byteLength);
  return Array.from({ length: moments.byteLength / MOMENT_BYTES }, (_, row) => {
    const at = row * MOMENT_BYTES + 11;
    return view.getUint16(at) * TWO_32 + view.getUint32(at + 2);
  });
}

/** Reads the time from an encoded moment. */
export function tsOf(moment: Uint8Array): number {
  const view = new DataView(moment.buffer, moment.byteOffset + 4);
  return ((view.getUint8(0) << 16) | view.getUint16(1)) * TWO_32 + view.getUint32(3);
}

/** The moment before everything written at this time, so that a range of times is a range of moments. */
export function momentAt(datasetNo: number, ts: number, seq = 0): Uint8Array {
  const place = new PlaceEncoder().owner(datasetNo, 0, 0).time(ts, seq).bytes;
  return momentOf(place, new Uint8Array(MOMENT_BYTES));
}
