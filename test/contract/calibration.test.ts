// Usage means what it says: on made data with planted taste, the share of an attribute value that a trained model foretells
// over all users is the share they take, and users are told apart by their taste.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calibrationOf } from '../../src/insight/usage/calibrate-usage.ts';
import { pairTable } from '../../src/insight/usage/pair-table.ts';
import { usageSpace } from '../../src/insight/usage/usage-space.ts';
import { chanceFrom } from '../support/chance.ts';
import { trainOn } from '../support/train-on.ts';

const ITEMS = 240;
const TASTES = [0.1, 0.5, 0.9];

test('the distribution over the catalog is calibrated by attribute value', async () => {
  const chance = chanceFrom(8);
  const items = Array.from({ length: ITEMS }, (_, n) => ({
    id: `i${n}`,
    attributes: { side: n % 2 === 0 ? 'even' : 'odd' },
  }));
  const events: { user_id: string; item_id: string }[] = [];
  for (let user = 0; user < 450; user++) {
    for (let n = 0; n < 20; n++) {
      const side = chance() < TASTES[user % 3] ? 0 : 1;
      events.push({ user_id: `u${user}`, item_id: `i${2 * Math.floor(chance() ** 1.5 * (ITEMS / 2)) + side}` });
    }
  }
  // one user's events must not all be older than the next one's
  const shuffled = events.map((event) => ({ event, at: chance() })).sort((a, b) => a.at - b.at);
  const { recommender, historyOf, catalog, model } = await trainOn({
    events: shuffled.map(({ event }) => event),
    items,
    parameters: { repeats: 'recommend' },
  });
  const sets = [catalog.itemsWith('side', 'even'), catalog.itemsWith('side', 'odd')];
  const shares = recommender.shares(sets);
  const out = new Float32Array(2);
  const means = TASTES.map((_, taste) => {
    let sum = 0;
    for (let user = taste; user < 450; user += 3) {
      shares({ history: historyOf(`u${user}`), attributes: {} }, out);
      assert.ok(Math.abs(out[0] + out[1] - 1) < 1e-3);
      sum += out[0];
    }
    return sum / 150;
  });
  const overall = (means[0] + means[1] + means[2]) / 3;
  assert.ok(Math.abs(overall - 0.5) < 0.03, `foretold ${overall} of 0.5 over all users`);
  // A user's own share is drawn to the middle by what twenty events cannot tell, but stands on the right side by far.
  assert.ok(means[0] < 0.4 && means[2] > 0.6, String(means));
  assert.ok(Math.abs(means[1] - 0.5) < 0.05, String(means));

  // The same is kept with the model, from events that were held out.
  const { itemOfWarm, coldItems } = recommender.itemLayout;
  const space = usageSpace(itemOfWarm, coldItems, recommender.listed(), pairTable(catalog.itemCount, sets));
  const { users, pairs } = calibrationOf(model.calibration.heldOut, space);
  assert.ok(users > 300, `${users} users were held out`);
  for (const pair of pairs) {
    assert.ok(pair!.error < 0.05, JSON.stringify(pair));
    assert.ok(pair!.tenths[9].observed > pair!.tenths[0].observed + 0.4, JSON.stringify(pair));
  }
});
