// Groups of items without events: those with the same features, which are scored once, by the warm items most like them. A group is
// found from either side: from its items, and from the warm items it is scored by. Group 0 has no neighbors, and its items are not
// listed here.
import { doubled } from '../base/grown.ts';
import { NumberSet } from '../base/number-set.ts';
import { NEIGHBORS } from './alike-search.ts';

export class ColdGroups {
  /** warm indices of group g from g · NEIGHBORS on, lengths[g] of them */
  #neighbors = new Uint32Array(NEIGHBORS);
  #lengths = new Uint8Array(1);
  #count = 1;
  /** chains of the places in #neighbors that name a warm item; all numbers in chains are one more than the place, 0 ends them */
  readonly #firstNamed: Uint32Array;
  #nextNamed = new Uint32Array(NEIGHBORS);
  /** chains of the items of a group, in both directions, so that an item can leave */
  #firstItem = new Uint32Array(1);
  #lastItem = new Uint32Array(1);
  #nextItem = new Uint32Array(0);
  #itemBefore = new Uint32Array(0);
  readonly #met = new NumberSet();

  constructor(warmCount: number) {
    this.#firstNamed = new Uint32Array(warmCount);
  }

  /** Number of groups. They are numbered from 0. */
  get count(): number {
    return this.#count;
  }

  neighborsOf(group: number): Uint32Array {
    return this.#neighbors.subarray(group * NEIGHBORS, group * NEIGHBORS + this.#lengths[group]);
  }

  /** Adds a group and returns its number. */
  add(neighbors: Uint32Array): number {
    const group = this.#count++;
    if (this.#count > this.#lengths.length) this.#grow(this.#lengths.length * 2);
    this.#lengths[group] = neighbors.length;
    for (let n = 0; n < neighbors.length; n++) {
      const at = group * NEIGHBORS + n;
      this.#neighbors[at] = neighbors[n];
      this.#nextNamed[at] = this.#firstNamed[neighbors[n]];
      this.#firstNamed[neighbors[n]] = at + 1;
    }
    return group;
  }

  /** Removes all groups but group 0. Their items must be added again. */
  clear(): void {
    this.#count = 1;
    for (const chain of [this.#firstNamed, this.#firstItem, this.#lastItem]) chain.fill(0);
  }

  /** Puts an item, by its place among the cold items, at the end of a group. */
  join(group: number, place: number): void {
    if (group === 0) return;
    if (place >= this.#nextItem.length) {
      this.#nextItem = doubled(this.#nextItem, place + 1);
      this.#itemBefore = doubled(this.#itemBefore, place + 1);
    }
    const last = this.#lastItem[group];
    this.#nextItem[place] = 0;
    this.#itemBefore[place] = last;
    if (last === 0) this.#firstItem[group] = place + 1;
    else this.#nextItem[last - 1] = place + 1;
    this.#lastItem[group] = place + 1;
  }

  leave(group: number, place: number): void {
    if (group === 0) return;
    const [before, after] = [this.#itemBefore[place], this.#nextItem[place]];
    if (before === 0) this.#firstItem[group] = after;
    else this.#nextItem[before - 1] = after;
    if (after === 0) this.#lastItem[group] = before;
    else this.#itemBefore[after - 1] = before;
  }

  /** Places of the group's items. */
  eachItem(group: number, visit: (place: number) => void): void {
    for (let next = this.#firstItem[group]; next !== 0; next = this.#nextItem[next - 1]) visit(next - 1);
  }

  /**
   * Visits each group that is scored by one of the warm items, once. The score of any other group is a mean of others' scores.
   */
  eachNear(warm: Iterable<number>, visit: (group: number) => void): void {
    this.#met.clear();
    for (const index of warm) {
      for (let next = this.#firstNamed[index]; next !== 0; next = this.#nextNamed[next - 1]) {
        const group = Math.floor((next - 1) / NEIGHBORS);
        if (this.#met.has(group)) continue;
        this.#met.add(group);
        visit(group);
      }
    }
  }

  /** The mean score of its neighbors; `floor` without any. */
  scoreOf(group: number, scores: Float32Array, floor: number): number {
    const length = this.#lengths[group];
    if (length === 0) return floor;
    let sum = 0;
    const start = group * NEIGHBORS;
    for (let at = start; at < start + length; at++) sum += scores[this.#neighbors[at]];
    return Math.fround(sum / length);
  }

  memoryBytes(): number {
    const chains = [this.#firstNamed, this.#nextNamed, this.#firstItem, this.#lastItem, this.#nextItem];
    const arrays = [...chains, this.#itemBefore, this.#neighbors, this.#lengths];
    return arrays.reduce((sum, array) => sum + array.byteLength, this.#met.memoryBytes());
  }

  #grow(count: number): void {
    const lengths = new Uint8Array(count);
    lengths.set(this.#lengths);
    this.#lengths = lengths;
    this.#neighbors = doubled(this.#neighbors, count * NEIGHBORS);
    this.#nextNamed = doubled(this.#nextNamed, count * NEIGHBORS);
    this.#firstItem = doubled(this.#firstItem, count);
    this.#lastItem = doubled(this.#lastItem, count);
  }
}
