// A training with room for fewer items than have events: the others count as new ones.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { saveModel } from '../../src/artifact/g1-file.ts';
import type { G1Model } from '../../src/artifact/g1-model.ts';
import { type TrainingData, trainOn } from '../support/train-on.ts';

const POPULAR = 24;
const RARE = 8;

/** Even users like even items, odd users odd ones. Each rare item has one user, of the taste of its number. */
function events() {
  const all: { user_id: string; item_id: string; event_value?: number }[] = [];
  for (let user = 0; user < 60; user++) {
    for (let item = 0; item < POPULAR; item++) {
      const isLiked = (user + item) % 2 === 0 && item !== user % POPULAR;
      if (isLiked) all.push({ user_id: `u${user}`, item_id: `i${item}` });
      if (user % 5 === 0 && item === user % POPULAR) {
        all.push({ user_id: `u${user}`, item_id: `i${item}`, event_value: -1 });
      }
    }
    if (user < RARE) all.push({ user_id: `u${user}`, item_id: `rare${user}` });
  }
  // Of these users nothing remains.
  for (let user = 0; user < RARE; user++) all.push({ user_id: `once${user}`, item_id: `rare${user}` });
  return all;
}

const attributesOf = (item: number) => ({ taste: item % 2 === 0 ? 'even' : 'odd', number: item });
const items = [
  ...Array.from({ length: POPULAR }, (_, item) => ({ id: `i${item}`, attributes: attributesOf(item) })),
  ...Array.from({ length: RARE }, (_, item) => ({ id: `rare${item}`, attributes: attributesOf(item) })),
];
/** Times are those of all events, whichever are left out. */
const timed = events().map((event, n) => ({ ...event, event_id: `e${n}`, ts: 1_700_000_000_000 + n * 1000 }));

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-left-out-'));
});
after(() => rm(folder, { recursive: true, force: true }));

const trainWith = (limits: TrainingData['limits'], given = timed) =>
  trainOn({ events: given, items, ...(limits && { limits }) });

async function bytesOf(model: G1Model): Promise<Buffer> {
  await saveModel(join(folder, 'model'), model);
  return readFile(join(folder, 'model'));
}

test('the model is that of the items that stay, whether events are in memory, in parts or in blocks', async () => {
  const { model, training } = await trainWith({ mostItems: POPULAR });
  assert.equal(model.warmItemCount, POPULAR);
  assert.deepEqual([training.items, training.items_left_out, training.users], [POPULAR, RARE, 60]);
  const bytes = await bytesOf(model);
  for (const limits of [
    { partEvents: 100 },
    { partEvents: 1 },
    { blockBytes: 2000 },
    { partEvents: 50, blockBytes: 1 },
  ]) {
    const { model: other } = await trainWith({ mostItems: POPULAR, ...limits });
    assert.ok(bytes.equals(await bytesOf(other)), JSON.stringify(limits));
  }
  const stay = timed.filter(({ item_id }) => !item_id.startsWith('rare'));
  assert.ok(bytes.equals(await bytesOf((await trainWith({}, stay)).model)), 'as without their events');
});

test('nothing changes where all items fit', async () => {
  const { model, training } = await trainWith({});
  assert.equal(training.items_left_out, undefined);
  const roomy = await trainWith({ mostItems: POPULAR + RARE });
  assert.equal(roomy.training.items_left_out, undefined);
  assert.ok((await bytesOf(model)).equals(await bytesOf(roomy.model)));
});

test('an item that is left out is recommended by its attributes, as a new one', async () => {
  const { model, recommender } = await trainWith({ mostItems: POPULAR });
  assert.ok(model.itemIds.indexOf('rare0') >= model.warmItemCount);
  const history = [0, 2, 4].map((item) => ({ item_id: `i${item}`, event_type: 'buy', event_value: 1, ts: 1 }));
  const all = recommender.top({ history, attributes: {} }, { limit: items.length }).items.map(({ item_id }) => item_id);
  const rare = all.filter((id) => id.startsWith('rare'));
  assert.equal(rare.length, RARE);
  assert.deepEqual(new Set(rare.slice(0, RARE / 2)), new Set(['rare0', 'rare2', 'rare4', 'rare6']), `${rare}`);
  // Their events count as those of new items do.
  const own = [{ item_id: 'rare1', event_type: 'buy', event_value: 1, ts: 1 }];
  const list = recommender.top({ history: own, attributes: {} }, { limit: items.length }).items;
  assert.ok(list.length > 0 && list.every(({ score }) => Number.isFinite(score)));
});
