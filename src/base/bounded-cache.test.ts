import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundedCache, cacheFigures, textBytes } from './bounded-cache.ts';

const newCache = (maxBytes: number, name = 'test') =>
  new BoundedCache<string, string>({ name, maxBytes, bytesOf: (value, key) => textBytes(key) + textBytes(value) });

test('keys and values count, and the least recently used go first', () => {
  const cache = newCache(10_000);
  for (let n = 0; n < 100; n++) {
    cache.set(`key ${n}`.padEnd(500, '.'), 'v');
    cache.get('key 95'.padEnd(500, '.'));
    assert.ok(cache.bytes <= 10_000);
  }
  assert.equal(cache.size, 8);
  assert.equal(cache.get('key 95'.padEnd(500, '.')), 'v');
  assert.equal(cache.get('key 0'.padEnd(500, '.')), undefined);
});

test('what is larger than the cache is not kept, and drops nothing else', () => {
  const cache = newCache(10_000);
  cache.set('a', 'b');
  cache.set('huge', 'x'.repeat(10_000));
  assert.deepEqual([cache.get('huge'), cache.get('a')], [undefined, 'b']);
});

test('a value that grows makes room, and goes when it has outgrown the cache', () => {
  const cache = newCache(10_000);
  cache.set('other', 'value');
  cache.set('list', 'value');
  const before = cache.bytes;
  cache.grow('list', 100);
  assert.equal(cache.bytes, before + 100);
  cache.grow('list', 9600);
  assert.deepEqual([cache.get('other'), cache.get('list')], [undefined, 'value']);
  cache.grow('list', 1000);
  assert.equal(cache.get('list'), undefined);
  assert.equal(cache.bytes, 0);
  cache.grow('list', 1);
  assert.equal(
    cache.getOrMake('list', () => 'again'),
    'again',
  );
});

test('caches of one name are told as one', () => {
  const [first, second] = [newCache(1000, 'shared'), newCache(2000, 'shared')];
  first.set('a', 'b');
  second.set('a', 'b');
  const figures = cacheFigures().find(({ name }) => name === 'shared');
  assert.deepEqual(figures, { name: 'shared', entries: 2, bytes: first.bytes + second.bytes, maxBytes: 3000 });
});

test('a value is made once and kept', () => {
  const cache = newCache(10_000);
  let made = 0;
  const make = () => `value ${++made}`;
  assert.equal(cache.getOrMake('a', make), 'value 1');
  assert.equal(cache.getOrMake('a', make), 'value 1');
  assert.equal(cache.peek('a'), 'value 1');
  cache.delete('a');
  assert.equal(cache.getOrMake('a', make), 'value 2');
});

test('an emptied cache holds nothing, and forgotten keys are not listed', () => {
  const cache = newCache(10_000);
  for (const key of ['a', 'b', 'c']) cache.set(key, 'value');
  cache.delete('b');
  assert.deepEqual([...cache.keys()].sort(), ['a', 'c']);
  cache.clear();
  assert.deepEqual([cache.size, cache.bytes, cache.get('a')], [0, 0, undefined]);
});

test('looking at a value does not keep it from being dropped', () => {
  const cache = newCache(1000);
  cache.set('first', 'x'.repeat(100));
  cache.set('second', 'x'.repeat(100));
  assert.equal(cache.peek('first'), 'x'.repeat(100));
  cache.set('third', 'x'.repeat(100));
  assert.deepEqual([cache.peek('first'), cache.peek('second') !== undefined], [undefined, true]);
});
