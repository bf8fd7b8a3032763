import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ToyEvent, toyModel } from '../../../test/support/toy-model.ts';
import type { Expert, G1Model, ItemToItemExpert, PopularityExpert } from '../../artifact/g1-model.ts';
import { type Random, seededRandom } from '../../base/seeded-random.ts';
import { Catalog } from '../../catalog/catalog.ts';
import { ColdItems } from '../../cold-start/cold-items.ts';
import { EventFolder, UNKNOWN_ITEM } from '../../history/fold-events.ts';
import { historyRulesOf } from '../../history/history-rules.ts';
import { KernelPool } from '../../kernels/kernel-pool.ts';
import { createScorer } from '../../scoring/create-scorer.ts';
import { G1Recommender } from '../../scoring/g1-recommender.ts';
import { pairTable } from './pair-table.ts';
import { UsageMachine } from './usage-machine.ts';
import { usageSpace } from './usage-space.ts';

const WARM = 40;
const COLD = 6;
const GENRES = ['drama', 'noir', 'western', 'comedy'];

function events(random: Random): ToyEvent[] {
  const list: ToyEvent[] = [];
  for (let item = 0; item < WARM; item++) list.push({ user: `w${item % 7}`, item: `i${item}` });
  for (let user = 0; user < 60; user++)
    for (let n = 0; n < 8; n++) list.push({ user: `u${user}`, item: `i${Math.floor(random.next() ** 2 * WARM)}` });
  return list;
}

const SEVERAL: G1Model['blend'] = { weights: [1, 0.3, -0.2, 0.1], transform: { kind: 'log', c: 0.03 } };

/** Three of co-occurrence, with other histories, other rows and negative entries, and popularity. */
function severalExperts(): Expert[] {
  const [walk, popularity] = toyModel(events(seededRandom(5))).experts;
  const [third] = toyModel(events(seededRandom(7))).experts;
  const [other] = toyModel(events(seededRandom(6))).experts;
  const newest = { ...(other as ItemToItemExpert), query: { kind: 'table' as const, weights: [1, 0.5] } };
  const signed = {
    ...(third as ItemToItemExpert),
    rows: {
      ...(third as ItemToItemExpert).rows,
      values: (third as ItemToItemExpert).rows.values.map((v, n) => (n % 3 ? v : -v)),
    },
  };
  return [walk, newest, signed, popularity];
}

for (const [name, change] of [
  ['a log blend', {}],
  [
    'a linear blend with repeats',
    {
      blend: { weights: [1, 0.5], transform: { kind: 'linear' } },
      repeats: { rate: 0.5, recommendSeen: true },
    },
  ],
  [
    'a strong popularity part',
    { blend: { weights: [0.4, 2], transform: { kind: 'linear' } }, calibration: { tau: 6, coldShare: 0.2 } },
  ],
  ['new items that nobody takes', { calibration: { tau: 3, coldShare: 0 } }],
  ['several experts', { experts: severalExperts(), blend: SEVERAL }],
  // All masses are far below 1 here: only the weights of items may be added to them.
  [
    'a sharp distribution',
    {
      experts: severalExperts(),
      blend: { ...SEVERAL, weights: [2, 2, 2, 0.1] },
      calibration: { tau: 10, coldShare: 0.9 },
    },
  ],
] as [string, Partial<G1Model>][]) {
  test(`the kernel's usage is the model's distribution summed by value: ${name}`, async () => {
    const random = seededRandom(5);
    const model = toyModel(events(random), change);
    const catalog = new Catalog('items');
    // Item i39 is not listed; c4 and c5 have nothing in common with any warm item.
    for (let item = 0; item < WARM - 1; item++)
      catalog.put(`i${item}`, {
        genre: GENRES[item % 4],
        year: 1990 + (item % 5),
        tags: [item % 2 ? 'odd' : 'even', 'all'],
      });
    for (let item = 0; item < COLD; item++)
      catalog.put(`c${item}`, item < 4 ? { genre: GENRES[item % 2], year: 1990 } : { strange: item });
    const recommender = new G1Recommender(model, catalog, createScorer);
    await recommender.settle();
    const sets = [
      catalog.itemsWith('genre', 'drama'),
      catalog.itemsWith('year', 1990),
      catalog.itemsWith('tags', 'all'),
      catalog.itemsWith('strange', 5),
      catalog.itemsWith('genre', 'nothing'),
    ];
    const itemOfWarm = Uint32Array.from({ length: model.warmItemCount }, (_, warm) =>
      catalog.indexOf(model.itemIds.at(warm)!),
    );
    const warmNumbers = new Set(itemOfWarm);
    const coldItems = new ColdItems(catalog, itemOfWarm, (item) => warmNumbers.has(item));
    await coldItems.settle();
    const space = usageSpace(
      { itemOfWarm, coldItems },
      recommender.listed(),
      pairTable(catalog.itemCount, sets),
      model.calibration.coldShare!,
    );
    const pool = new KernelPool(2);
    try {
      const machine = await UsageMachine.create(pool, model, space);
      const batch = machine.batch(1000);
      const out = machine.output();
      const coldOf = new Map(Array.from(space.coldNumbers, (number, n) => [catalog.itemId(number), n]));
      const known = [
        ...Array.from({ length: WARM }, (_, n) => `i${n}`),
        ...Array.from({ length: COLD }, (_, n) => `c${n}`),
        'gone',
      ];
      const itemOf = Uint32Array.from(known, (id) => {
        const warm = model.itemIds.indexOf(id);
        return warm >= 0 ? warm : coldOf.has(id) ? model.warmItemCount + coldOf.get(id)! : UNKNOWN_ITEM;
      });
      const folder = new EventFolder(historyRulesOf(model), {
        warmItemCount: model.warmItemCount,
        itemOf,
        typeWeight: [1, 0.3],
        typeWeightElse: null,
        targetType: 0,
      });
      const signals: { item_id: string; event_type: string; event_value: number; ts: number }[][] = [];
      for (let user = 0; user < 120; user++) {
        // The first users have seen the most popular items, one more each.
        const count = user < 35 ? user + 1 : 1 + random.below(20);
        const popular = (model.experts.at(-1) as PopularityExpert).values;
        const order = [...popular.keys()].sort((a, b) => popular[b] - popular[a] || a - b);
        const picks = Array.from({ length: count }, (_, n) =>
          user < 35 ? known.indexOf(model.itemIds.at(order[n])!) : random.below(known.length),
        );
        const types = picks.map(() => (user < 35 ? 0 : random.below(2)));
        const values = picks.map(() => (user < 35 ? 1 : [1, 1, -1, 4][random.below(4)]));
        const block = {
          length: count,
          user: new Uint32Array(count),
          item: Uint32Array.from(picks),
          type: Uint32Array.from(types),
          ts: new Float64Array(count),
          value: Float64Array.from(values),
        };
        const start = batch.offsets[batch.count];
        const length = folder.fold({ columns: block, from: 0, to: count }, batch, start);
        batch.end(length, folder.others);
        signals.push(
          picks
            .map((pick, at) => ({
              item_id: known[pick],
              event_type: ['buy', 'view'][types[at]],
              event_value: values[at],
              ts: at,
            }))
            .reverse(),
        );
      }
      await machine.run(batch, out);
      const dense = new Float32Array(catalog.itemCount);
      let compared = 0;
      for (const [user, history] of signals.entries()) {
        if (batch.offsets[user] === batch.offsets[user + 1] || out[user * sets.length] < 0) continue;
        assert.equal(recommender.distribution({ history, attributes: {} }, dense), 'history');
        for (const [pair, set] of sets.entries()) {
          let expected = 0;
          for (let item = 0; item < dense.length; item++)
            if (((set.words[item >>> 5] ?? 0) >>> (item & 31)) & 1) expected += dense[item];
          // Scores are 32-bit floats: their rounding is felt the more the sharper the distribution is.
          const tolerance = 2e-6 * Math.max(1, model.calibration.tau);
          const found = out[user * sets.length + pair];
          assert.ok(Math.abs(found - expected) < tolerance, `user ${user}, pair ${pair}: ${found} is not ${expected}`);
        }
        compared++;
      }
      assert.ok(compared > 100);

      // Slots near their end, so that they begin again among these users.
      const again = machine.output();
      const scratch = pool.memory.u8(machine.scratchBytes).fill(0);
      const firstSlot = new Uint32Array(scratch.buffer, scratch.byteOffset, 1);
      firstSlot[0] = 0xffff_ffff - 8 * (WARM + 32) - 4 * 300;
      const pointers = machine.argumentsFor(batch, again).map((value) => Number(Object(value).byteOffset ?? value));
      pool.kernels.usageUsers(...pointers, 0, batch.count, scratch.byteOffset);
      assert.ok(firstSlot[0] < 0x8000_0000, 'the slots have not begun again');
      assert.deepEqual(again.subarray(0, batch.count * sets.length), out.subarray(0, batch.count * sets.length));
    } finally {
      await pool.close();
    }
  });
}
