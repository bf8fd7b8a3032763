// Looking at few groups finds what looking at every cold item finds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Random, seededRandom } from '../base/seeded-random.ts';
import { TopItems } from '../base/top-items.ts';
import { ItemSet } from '../catalog/item-set.ts';
import { ColdGroups } from '../cold-start/cold-groups.ts';
import type { ColdItems } from '../cold-start/cold-items.ts';
import { BestOfAll } from './best-of-all.ts';
import { logBoost } from './boost.ts';
import { ColdSearch } from './cold-search.ts';
import { GroupScores } from './group-scores.ts';
import { RankedScale } from './ranked-scale.ts';

const WARM = 4000;
const COLD = 900;
const GROUPS = 300;

const ofAll = new BestOfAll(WARM);

/** Catalog numbers: warm items, then cold ones in a mixed order. */
function madeColdItems(random: Random) {
  const groups = new ColdGroups(WARM);
  for (let group = 1; group <= GROUPS; group++) {
    const first = random.below(WARM);
    const neighbors = new Set(Array.from({ length: 1 + random.below(20) }, () => (first + random.below(40)) % WARM));
    groups.add(Uint32Array.from(neighbors));
  }
  const items = Uint32Array.from({ length: COLD }, (_, place) => WARM + ((place * 7) % COLD));
  const groupOfPlace = Uint32Array.from(items, () => random.below(GROUPS + 1));
  for (let place = 0; place < COLD; place++) groups.join(groupOfPlace[place], place);
  // Some items change their group, as if their features had changed.
  for (let n = 0; n < 100; n++) {
    const place = random.below(COLD);
    groups.leave(groupOfPlace[place], place);
    groupOfPlace[place] = random.below(GROUPS + 1);
    groups.join(groupOfPlace[place], place);
  }
  const seen = { looked: 0 };
  const coldItems = {
    count: COLD,
    groups,
    groupAt: (place: number) => groupOfPlace[place],
    placeOf: (item: number) => items.indexOf(item),
    itemAt(place: number) {
      seen.looked++;
      return items[place];
    },
  } as unknown as ColdItems;
  return { coldItems, items, groupOfPlace, seen };
}

/** Warm items first, then cold ones in a mixed order. */
const tieOf = (rank: number): number => (rank < WARM ? rank : WARM + ((rank * 7) % COLD));

function someOf(random: Random, share: number): ItemSet {
  const set = new ItemSet(WARM + COLD);
  for (let item = 0; item < WARM + COLD; item++) if (random.next() < share) set.set(item, true);
  return set;
}

for (const kind of ['a blend', 'a ranker', 'a ranker and terms that join']) {
  test(`by ${kind}: the same items with the same scores as of a search through all`, () => {
    let [looked, most] = [0, 0];
    for (let seed = 1; seed <= 150; seed++) {
      const random = seededRandom(seed);
      const { coldItems, items, groupOfPlace, seen } = madeColdItems(random);
      // Many items score the same, like those that no item of a history leads to.
      const warm = new Float32Array(WARM).map(() => (random.chance(0.9) ? 0.5 : random.normal() * 3));
      const joined = kind.includes('join') ? new Float32Array(WARM).map(() => random.normal() / 4) : null;
      if (joined !== null) for (let index = 0; index < WARM; index++) warm[index] += joined[index];
      const limit = 1 + random.below(30);
      const boosts = random.chance(0.5)
        ? []
        : [3, 0.2, 1.5].slice(random.below(3)).map((factor) => ({ items: someOf(random, 0.05), factor }));
      const order = [...warm.keys()].sort((a, b) => warm[b] - warm[a] || a - b).slice(0, 100);
      const ranked = order.map((index) => (kind === 'a blend' ? warm[index] : random.normal()));
      const scale =
        kind === 'a blend'
          ? null
          : new RankedScale(
              order.map((index) => warm[index] - (joined?.[index] ?? 0)),
              ranked,
            );
      const rankedUnit = 0.7;
      const boostUnit = scale === null ? 1.3 : 1;
      const allow = someOf(random, random.chance(0.2) ? 0.002 : 0.8);
      const groups = new GroupScores(coldItems.groups);
      groups.start(warm, joined, rankedUnit);
      const bestWarm = (): TopItems => {
        const top = new TopItems();
        top.start(limit, (rank, other) => tieOf(rank) - tieOf(other));
        for (const [n, index] of order.entries()) if (allow.has(index)) top.offer(ranked[n], index);
        return top;
      };
      const top = bestWarm();
      const isPruned = top.size === limit && boosts.length === 0;
      seen.looked = 0;
      new ColdSearch(coldItems).offer(top, {
        groups,
        warm,
        joined,
        rankedUnit,
        scale,
        boosts,
        boostUnit,
        allow,
        firstRank: WARM,
        mayBeListed: (item) => allow.has(item),
        above: (all, least) => ofAll.above(all, least),
      });
      if (isPruned) [looked, most] = [looked + seen.looked, most + COLD];
      const all = bestWarm();
      for (let place = 0; place < COLD; place++) {
        const blend = groups.plain(groupOfPlace[place]);
        const placed = (scale === null ? blend : scale.of(blend)) + boostUnit * logBoost(boosts, items[place]);
        if (allow.has(items[place])) all.offer(placed + groups.joined(groupOfPlace[place]), WARM + place);
      }
      assert.deepEqual(drained(top), drained(all), `seed ${seed}`);
    }
    assert.ok(most > 20 * COLD && looked < most / 2, `${looked} of ${most}`);
  });
}

function drained(top: TopItems): [score: number, rank: number][] {
  const found: [number, number][] = [];
  top.drain((score, rank) => found.push([score, rank]));
  return found;
}

test('a group is met once, whichever of its neighbors leads to it, and its items in the order they came', () => {
  const groups = new ColdGroups(5);
  const one = groups.add(Uint32Array.of(0, 2));
  const other = groups.add(Uint32Array.of(2, 3));
  for (const place of [0, 1, 2, 3]) groups.join(one, place);
  groups.join(0, 4);
  groups.leave(one, 1);
  groups.leave(one, 3);
  groups.join(other, 3);
  groups.join(one, 5);
  const near = (...warm: number[]) => {
    const met: number[] = [];
    groups.eachNear(warm, (group) => met.push(group));
    return met.sort();
  };
  const placesOf = (group: number) => {
    const places: number[] = [];
    groups.eachItem(group, (place) => places.push(place));
    return places;
  };
  assert.deepEqual([near(0, 2, 3), near(0), near(3), near(1, 4)], [[one, other], [one], [other], []]);
  assert.deepEqual([placesOf(one), placesOf(other), placesOf(0)], [[0, 2, 5], [3], []]);
  groups.clear();
  assert.deepEqual([groups.count, near(0, 2, 3), placesOf(one)], [1, [], []]);
});
