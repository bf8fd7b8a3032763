// Visits × items on the kernels' memory: the distinct items of each visit, visits of a user one after the other, oldest first.
// Only visits with an item that counts are kept. A very long visit says little about pairs and costs their square: it is cut.
import type { EventTable } from '../dataset/event-table.ts';
import type { KernelMemory } from '../kernels/kernel-memory.ts';

export interface VisitMatrix {
  readonly visitCount: number;
  readonly itemCount: number;
  /** visit v holds items[offsets[v] … offsets[v + 1]) */
  readonly offsets: Uint32Array;
  readonly items: Uint32Array;
  /** places in `items`, item by item */
  readonly itemOffsets: Uint32Array;
  readonly entries: Uint32Array;
  /** the visit of each entry */
  readonly entryVisits: Uint32Array;
  /** for visit v, the last visit of its user */
  readonly lastVisits: Uint32Array;
}

export interface VisitRules {
  /** a longer gap between events of a user begins a new visit; infinity: a user is one visit */
  readonly gapMs: number;
  /** tells whether an event counts */
  readonly takes: (event: number) => boolean;
}

const MAX_VISIT_ITEMS = 100;

export function buildVisits(memory: KernelMemory, table: EventTable, { gapMs, takes }: VisitRules): VisitMatrix {
  const { itemCount, ts, item } = table;
  const items = new Uint32Array(table.length);
  const offsets = new Uint32Array(table.length + 1);
  const lastVisits = new Uint32Array(table.length);
  let length = 0;
  let visitCount = 0;
  const visitOf = new Int32Array(itemCount).fill(-1);
  const endVisit = () => {
    if (length > offsets[visitCount]) offsets[++visitCount] = length;
  };
  for (let user = 0; user < table.userCount; user++) {
    const firstVisit = visitCount;
    for (let event = table.userOffsets[user]; event < table.userOffsets[user + 1]; event++) {
      if (event > table.userOffsets[user] && ts[event] - ts[event - 1] > gapMs) endVisit();
      if (visitOf[item[event]] === visitCount || !takes(event)) continue;
      if (length - offsets[visitCount] >= MAX_VISIT_ITEMS) continue;
      visitOf[item[event]] = visitCount;
      items[length++] = item[event];
    }
    endVisit();
    lastVisits.fill(visitCount - 1, firstVisit, visitCount);
  }
  return layOut(memory, itemCount, {
    offsets: offsets.subarray(0, visitCount + 1),
    items: items.subarray(0, length),
    lastVisits: lastVisits.subarray(0, visitCount),
  });
}

function layOut(
  memory: KernelMemory,
  itemCount: number,
  plain: Pick<VisitMatrix, 'offsets' | 'items' | 'lastVisits'>,
): VisitMatrix {
  const visitCount = plain.offsets.length - 1;
  const length = plain.items.length;
  memory.require((2 * visitCount + itemCount + 3 * length + 16) * 4, `The matrix of ${visitCount} visits`);
  const matrix = {
    visitCount,
    itemCount,
    offsets: memory.u32(visitCount + 1),
    items: memory.u32(length),
    itemOffsets: memory.u32(itemCount + 1).fill(0),
    entries: memory.u32(length),
    entryVisits: memory.u32(length),
    lastVisits: memory.u32(visitCount),
  };
  matrix.offsets.set(plain.offsets);
  matrix.items.set(plain.items);
  matrix.lastVisits.set(plain.lastVisits);
  for (let visit = 0; visit < visitCount; visit++) {
    for (let place = matrix.offsets[visit]; place < matrix.offsets[visit + 1]; place++) {
      matrix.entryVisits[place] = visit;
      matrix.itemOffsets[matrix.items[place] + 1]++;
    }
  }
  for (let item = 0; item < itemCount; item++) matrix.itemOffsets[item + 1] += matrix.itemOffsets[item];
  const next = matrix.itemOffsets.slice();
  for (let place = 0; place < length; place++) matrix.entries[next[matrix.items[place]]++] = place;
  return matrix;
}

/** Number of visits that contain the item. */
export function visitsOfItem({ itemOffsets }: VisitMatrix, item: number): number {
  return itemOffsets[item + 1] - itemOffsets[item];
}
