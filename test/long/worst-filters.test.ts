// The worst filters over the worst values: each step is short, so that a thread that serves is never blocked.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Catalog } from '../../src/catalog/catalog.ts';
import type { ItemBitmap } from '../../src/catalog/item-set.ts';
import type { Filter } from '../../src/domain/filter/filter.ts';
import { MAX_FILTER_CONDITIONS } from '../../src/domain/filter/filter.ts';
import { AppError } from '../../src/errors.ts';
import { parseFilter } from '../support/parse-filter.ts';
import { longestStretch, threadMs } from '../support/short-stretch.ts';

// What building the catalog left behind is collected before the steps are measured, not in one of them.
setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** The set, and the longest step in the thread's own time: other processes on the machine do not count. */
function selected(catalog: Catalog, filter: Filter): { set: ItemBitmap; longestMs: number; steps: number } {
  collectGarbage();
  const work = catalog.selectSteps(filter);
  let longestMs = 0;
  for (let steps = 1; ; steps++) {
    const before = threadMs();
    const { done, value } = work.next();
    longestMs = Math.max(longestMs, threadMs() - before);
    if (done) return { set: value, longestMs, steps };
  }
}

function any(condition: (n: number) => string, count = MAX_FILTER_CONDITIONS): Filter {
  return parseFilter(Array.from({ length: count }, (_, n) => condition(n)).join(' OR '));
}

/** `round` returns its longest step in ms. */
function testSteps(name: string, round: () => number): void {
  test(name, async () => {
    const share = await longestStretch(round);
    assert.ok(share <= 1, `a step took ${share.toFixed(1)} times the longest allowed`);
  });
}

testSteps('many order comparisons of texts over many items are cut into short steps', () => {
  const catalog = new Catalog('items');
  for (let n = 0; n < 50_000; n++) catalog.put(`item-${n}`, { t: `title ${n}`, few: n % 20 === 0 ? `${n}` : null });
  let longest = 0;
  for (const condition of ["t < '0'", "few < '!'", "item_id > 'x'"]) {
    const { set, longestMs, steps } = selected(
      catalog,
      any((n) => `${condition.slice(0, -1)}${n}'`),
    );
    assert.equal(set.count, 0, condition);
    assert.ok(steps > MAX_FILTER_CONDITIONS, condition);
    longest = Math.max(longest, longestMs);
  }
  return longest;
});

testSteps('searching long texts is cut into short steps, whatever is searched', () => {
  const catalog = new Catalog('items');
  const text = 'a'.repeat(20_000);
  for (let n = 0; n < 1000; n++) {
    catalog.put(`item-${n}`, {
      text: text + n,
      // JSON, not text: nothing in it may be found
      deep: { inside: text, n },
      tags: [text + n, `tag ${n}`],
      few: n % 20 === 0 ? text + n : null,
    });
  }
  const half = 'a'.repeat(1900);
  let longest = 0;
  for (const wanted of ['aaab', `${'a'.repeat(30)}b${'a'.repeat(30)}`, `${half}b${half}`, `b${half}`, `${half}b`]) {
    for (const attribute of ['text', 'deep', 'tags', 'few', 'item_id']) {
      const { set, longestMs } = selected(catalog, parseFilter(`${attribute} CONTAINS '${wanted}'`));
      assert.equal(set.count, 0);
      longest = Math.max(longest, longestMs);
    }
  }
  assert.equal(selected(catalog, parseFilter("text CONTAINS 'aaa99'")).set.count, 11);
  assert.equal(selected(catalog, parseFilter(`text CONTAINS '${half}998'`)).set.count, 1);
  return longest;
});

testSteps('changes of many items are taken over in short steps, and only by filters that are used', () => {
  const catalog = new Catalog('items');
  const text = 'a'.repeat(2000);
  for (let n = 0; n < 5000; n++) catalog.put(`item-${n}`, { text: text + n });
  const filters = Array.from({ length: 10 }, (_, k) => any((n) => `text CONTAINS 'b${k}.${n}'`, 16));
  for (const filter of filters) assert.equal(catalog.select(filter).count, 0);
  for (let n = 0; n < 900; n++) catalog.put(`item-${n}`, { text: n === 5 ? `${text}b7.3` : text });
  let longest = 0;
  for (const [k, filter] of filters.entries()) {
    const { set, longestMs } = selected(catalog, filter);
    assert.equal(set.count, k === 7 ? 1 : 0);
    longest = Math.max(longest, longestMs);
  }
  return longest;
});

test('a filter that would search gigabytes is refused before it begins', () => {
  const catalog = new Catalog('items');
  const text = 'ab'.repeat(50_000);
  for (let n = 0; n < 200; n++) catalog.put(`item-${n}`, { text: text + n });
  const filter = any((n) => `text CONTAINS 'x${n}'`);
  assert.throws(
    () => catalog.selectSteps(filter).next(),
    (error: unknown) => error instanceof AppError && error.code === 'FILTER_TOO_COSTLY',
  );
  assert.equal(catalog.select(any((n) => `text CONTAINS 'x${n}'`, 8)).count, 0);
});

testSteps(
  'a catalog whose values were all overwritten is tidied up in short steps, and filters mean the same meanwhile',
  () => {
    const catalog = new Catalog('items');
    const items = 50_000;
    for (let turn = 0; turn < 3; turn++) {
      for (let n = 0; n < items; n++)
        catalog.put(`item-${n}`, { title: `turn ${turn} of ${n}`, tags: [`${turn}`, `${n}`] });
    }
    const before = catalog.memoryBytes();
    const filter = parseFilter("title CONTAINS 'turn 2' AND tags = '2'");
    const selecting = catalog.selectSteps(filter);
    const tidying = catalog.tidy();
    let longestMs = 0;
    let steps = 0;
    for (let isDone = false; !isDone; ) {
      const started = threadMs();
      isDone = tidying.next().done === true;
      longestMs = Math.max(longestMs, threadMs() - started);
      if (++steps < 6) selecting.next();
    }
    assert.ok(catalog.memoryBytes() < before * 0.7, `${before} → ${catalog.memoryBytes()}`);
    assert.equal(selected(catalog, filter).set.count, items);
    for (let step = selecting.next(); ; step = selecting.next()) {
      if (!step.done) continue;
      assert.equal(step.value.count, items);
      break;
    }
    assert.deepEqual(catalog.attributesOf(7), { title: 'turn 2 of 7', tags: ['2', '7'] });
    return longestMs;
  },
);
