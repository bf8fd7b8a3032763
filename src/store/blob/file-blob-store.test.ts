import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { BlobNotFound, type BlobStore } from '../blob-store.ts';
import { openBlobStore } from './open-blob-store.ts';

let dataDir: string;
let blobs: BlobStore;

before(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'kindred-'));
  blobs = openBlobStore({ dataDir });
});
after(() => rmSync(dataDir, { recursive: true }));

async function put(key: string, content: string): Promise<void> {
  const file = join(dataDir, 'local');
  writeFileSync(file, content);
  await blobs.putFile(key, file);
}

const keysOf = async (prefix: string) => (await Array.fromAsync(blobs.list(prefix))).map(({ key }) => key).sort();

test('a blob is read back, replaced, listed and deleted', async () => {
  await put('models/a.kindred', 'one');
  await put('models/a.kindred', 'two');
  await put('results/b.json', '{}');
  assert.equal(readFileSync(await blobs.localFile('models/a.kindred'), 'utf8'), 'two');
  const { stream, bytes } = await blobs.read('models/a.kindred');
  assert.equal(await text(stream), 'two');
  assert.equal(bytes, 3);
  assert.deepEqual(await keysOf('models/'), ['models/a.kindred']);
  assert.deepEqual(await keysOf('results/b'), ['results/b.json']);
  await blobs.delete('models/a.kindred');
  await blobs.delete('models/a.kindred');
  assert.deepEqual(await keysOf('models/'), []);
});

test('a blob that is not there is told apart from other errors', async () => {
  await assert.rejects(blobs.localFile('models/none'), BlobNotFound);
  await assert.rejects(blobs.read('models/none'), BlobNotFound);
  assert.deepEqual(await keysOf('nothing/'), []);
});

test('a key cannot lead out of the folder', async () => {
  for (const key of ['../x', 'a/../../x', '/x', 'a//b', '', 'A', 'a/.hidden']) {
    await assert.rejects(blobs.localFile(key), TypeError, key);
  }
});
