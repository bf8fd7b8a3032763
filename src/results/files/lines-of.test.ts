import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { linesOf } from './lines-of.ts';

test('a line ends at \\n alone, and characters cut by a chunk stay whole', async () => {
  const lines = [JSON.stringify({ title: 'a\u2028b\u2029c\rd' }), 'ünï', '', 'last'];
  const bytes = Buffer.from(lines.join('\n'));
  for (const size of [1, 3, 1000]) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
      bytes.subarray(n * size, (n + 1) * size),
    );
    assert.deepEqual(await Array.fromAsync(linesOf(Readable.from(chunks, { objectMode: false }))), lines);
  }
});
