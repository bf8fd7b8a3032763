import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { chunksOf } from './chunks-of.ts';

test('files of any size are written one after the other', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const contents = [0, 1, 2 ** 20, 2.5 * 2 ** 20, 0, 7].map((bytes) => randomBytes(bytes));
  const paths = contents.map((content, n) => {
    const path = join(folder, String(n));
    writeFileSync(path, content);
    return path;
  });
  const target = join(folder, 'joined');
  await writeFile(target, chunksOf(paths));
  assert.ok(readFileSync(target).equals(Buffer.concat(contents)));
});

test('a missing file is an error', async () => {
  const chunks = chunksOf([join(tmpdir(), 'kindred-no-such-file')]);
  await assert.rejects(chunks.next(), { code: 'ENOENT' });
});
