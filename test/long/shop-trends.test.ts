// A shop in which two goods that few knew come into fashion: trending lists find them, not what is merely popular.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { riseOf } from '../../src/placements/rise.ts';
import { SimulatedShop } from '../support/shop-simulator/simulate-shop.ts';

const DAY_MS = 86_400_000;
const DAYS = 120;
/** days since the fashion began, and the days that a trending list looks back on */
const WINDOW_DAYS = 7;
const COUNTED_DAYS = 31;

for (const seed of [1, 2, 3]) {
  test(`goods that come into fashion rise clearly above all others (shop ${seed})`, () => {
    const shop = new SimulatedShop({ users: 500, days: DAYS, seed });
    shop.run(DAYS - 10 + WINDOW_DAYS);
    const figures = (good?: string) => {
      const own = shop.events.filter((event) => good === undefined || event.good === good);
      const since = (days: number) => own.filter(({ ts }) => ts >= shop.nowTs - days * DAY_MS).length;
      return { inWindow: since(WINDOW_DAYS), before: since(COUNTED_DAYS) - since(WINDOW_DAYS) };
    };
    const all = figures();
    // What came into the shop lately rises too, and rightly.
    const known = shop.goods.filter(({ releaseDay }) => releaseDay < DAYS - COUNTED_DAYS);
    const rises = known.map((good) => ({ good, rise: riseOf(figures(good.id), all) }));
    rises.sort((a, b) => b.rise - a.rise);
    const planted = known.filter(({ trend }) => trend !== undefined).map(({ id }) => id);
    const first = rises.slice(0, planted.length);
    assert.equal(planted.length, 2);
    assert.deepEqual(new Set(first.map(({ good }) => good.id)), new Set(planted));
    const [least, next] = [rises[planted.length - 1].rise, rises[planted.length].rise];
    assert.ok(least > 1.5 && next < 1.5, `${least} in fashion, ${next} otherwise`);
  });
}
