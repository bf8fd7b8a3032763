import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/support/fast-check.ts';
import { MAX_NESTING, parseJson } from './json-body.ts';

const parse = (text: string, maxValues = 1000) => parseJson(Buffer.from(text), { maxValues });

test('any JSON within the limits is parsed as JSON.parse does, with or without a byte-order mark', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 10 }), fc.boolean(), (text, marked) => {
      assert.deepEqual(parse(marked ? `\ufeff${text}` : text, Number.MAX_SAFE_INTEGER), JSON.parse(text));
    }),
  );
});

test('any bytes are parsed or refused in plain words', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'[]{}",:\\u0 1ae') })), (text) => {
      try {
        assert.deepEqual(parse(text), JSON.parse(text));
      } catch (error) {
        assert.ok(['INVALID_JSON', 'INVALID_REQUEST', 'BODY_TOO_LARGE'].includes((error as { code: string }).code));
      }
    }),
  );
});

test('nesting is limited, and brackets inside of texts do not count', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  assert.ok(parse(nested(MAX_NESTING)));
  assert.throws(() => parse(nested(MAX_NESTING + 1)), { code: 'INVALID_REQUEST' });
  assert.throws(() => parse('['.repeat(100_000)), { code: 'INVALID_REQUEST' });
  assert.deepEqual(parse(JSON.stringify(['['.repeat(100), '\\"[[', '"'.repeat(50)])), [
    '['.repeat(100),
    '\\"[[',
    '"'.repeat(50),
  ]);
});

test('values are limited, and commas inside of texts do not count', () => {
  assert.equal((parse(`[${'1,'.repeat(998)}1]`) as number[]).length, 999);
  assert.throws(() => parse(`[${'1,'.repeat(1000)}1]`), { code: 'BODY_TOO_LARGE' });
  assert.throws(() => parse(`[${'{},'.repeat(500)}{}]`), { code: 'BODY_TOO_LARGE' });
  assert.deepEqual(parse(JSON.stringify([','.repeat(5000)])), [','.repeat(5000)]);
});
