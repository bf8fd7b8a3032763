import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { HOUR_MS } from '../../src/base/durations.ts';
import { blobsUrlOf, hadoopSettingsOf, openBlobStore } from '../../src/store/blob/open-blob-store.ts';
import { S3BlobStore } from '../../src/store/blob/s3-blob-store.ts';
import { BlobNotFound, type BlobStore } from '../../src/store/blob-store.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';

process.env.AWS_ACCESS_KEY_ID ??= 'test';
process.env.AWS_SECRET_ACCESS_KEY ??= 'test';

const dir = mkdtempSync(join(tmpdir(), 'kindred-blob-'));
const folder = join(dir, 'artifacts');
let s3: S3Server;
let made = 0;

function localFile(content: string): string {
  const path = join(dir, `local-${++made}`);
  writeFileSync(path, content);
  return path;
}

async function text(blobs: BlobStore, key: string): Promise<string> {
  const { stream, bytes } = await blobs.read(key);
  const content = Buffer.concat(await Array.fromAsync(stream as AsyncIterable<Buffer>));
  assert.equal(content.length, bytes);
  return content.toString();
}

before(async () => {
  s3 = await startS3Server();
});
after(async () => {
  await s3.close();
  rmSync(dir, { recursive: true });
});

const stores: Record<string, () => BlobStore> = {
  'a folder': () => openBlobStore({ dataDir: dir }),
  'a file URL': () => openBlobStore({ dataDir: dir, artifactsUrl: pathToFileURL(join(dir, 'by url')).href }),
  S3: () => openBlobStore({ dataDir: dir, artifactsUrl: s3.url('some/prefix') }),
};

for (const [name, open] of Object.entries(stores)) {
  describe(`blobs in ${name}`, () => {
    test('a file put under a key is read back, as a stream and as a local file', async () => {
      const blobs = open();
      await blobs.putFile('models/mdl_1.bin', localFile('hello'));
      assert.equal(await text(blobs, 'models/mdl_1.bin'), 'hello');
      const paths = await Promise.all([blobs.localFile('models/mdl_1.bin'), blobs.localFile('models/mdl_1.bin')]);
      for (const path of paths) assert.equal(readFileSync(path, 'utf8'), 'hello');
    });

    test('a copy is there under its own key when the first one is deleted', async () => {
      const blobs = open();
      await blobs.putFile('parts/job_1/a', localFile('lines'));
      await blobs.copy('parts/job_1/a', 'results/5/a.jsonl.0');
      await blobs.delete('parts/job_1/a');
      assert.equal(await text(blobs, 'results/5/a.jsonl.0'), 'lines');
      await blobs.putFile('parts/job_1/a', localFile('other'));
      await blobs.copy('parts/job_1/a', 'results/5/a.jsonl.0');
      assert.equal(await text(blobs, 'results/5/a.jsonl.0'), 'other');
      await blobs.delete('results/5/a.jsonl.0');
      await assert.rejects(blobs.copy('results/5/a.jsonl.0', 'results/5/b'), BlobNotFound);
      await blobs.delete('parts/job_1/a');
    });

    test('a missing key is BlobNotFound, and deleting it is no error', async () => {
      const blobs = open();
      await assert.rejects(blobs.read('models/none'), BlobNotFound);
      await assert.rejects(blobs.localFile('models/none'), BlobNotFound);
      await blobs.delete('models/none');
    });

    test('a list names all keys with a prefix, and deleted ones no more', async () => {
      const blobs = open();
      for (const key of ['results/a', 'results/b.json', 'results/deep/c', 'results/d', 'other']) {
        await blobs.putFile(key, localFile(key));
      }
      await blobs.delete('results/d');
      const listed = await Array.fromAsync(blobs.list('results/'));
      assert.deepEqual(listed.map(({ key, bytes }) => [key, bytes]).sort(), [
        ['results/a', 9],
        ['results/b.json', 14],
        ['results/deep/c', 14],
      ]);
      await assert.rejects(blobs.localFile('results/d'), BlobNotFound);
      const keysOf = async (prefix: string) => (await Array.fromAsync(blobs.list(prefix))).map(({ key }) => key);
      assert.deepEqual(await keysOf('results/b'), ['results/b.json']);
      assert.deepEqual(await keysOf('results/de'), ['results/deep/c']);
      assert.deepEqual(await keysOf('results/deep/'), ['results/deep/c']);
      for (const none of ['results/a/', 'results/x/', 'results/../', '../']) assert.deepEqual(await keysOf(none), []);
    });

    test('a key cannot leave the store', async () => {
      const blobs = open();
      for (const key of ['../x', '/x', 'a//b', 'a/../b', '.hidden', 'a/.', 'A', '']) {
        await assert.rejects(blobs.putFile(key, localFile('x')), TypeError, key);
        await assert.rejects(blobs.read(key), TypeError, key);
      }
    });
  });
}

test('what is too large for one copy of S3 goes through this machine', async () => {
  const blobs = new S3BlobStore(new URL(s3.url('large')), join(dir, 'copy-cache'), { copyBytes: 4 });
  await blobs.putFile('parts/a', localFile('more than 4'));
  await blobs.copy('parts/a', 'results/a');
  assert.equal(await text(blobs, 'parts/a'), 'more than 4');
  assert.equal(await text(blobs, 'results/a'), 'more than 4');
});

test('what a crash left half-written is not listed', async () => {
  const blobs = stores['a folder']();
  mkdirSync(join(folder, 'models'), { recursive: true });
  writeFileSync(join(folder, 'models', '.0123456789abcdef.partial'), 'half');
  const keys = (await Array.fromAsync(blobs.list(''))).map(({ key }) => key);
  assert.ok(keys.every((key) => !key.includes('partial')));
  assert.ok(readdirSync(join(folder, 'models')).length > 0);
});

test('a list of a folder reads only what is below its prefix, and the search for leftovers only own folders', async (t) => {
  const blobs = stores['a folder']();
  for (const key of ['models/far', 'results/1/near', 'results/2/far', 'lost/and/found']) {
    await blobs.putFile(key, localFile(key));
  }
  const read: string[] = [];
  const { readdir } = fs;
  t.mock.method(fs, 'readdir', (path: string, options: object) => {
    read.push(relative(folder, path));
    return readdir(path, options as never);
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  assert.deepEqual(await Array.fromAsync(blobs.list('results/1/near'), ({ key }) => key), ['results/1/near']);
  assert.deepEqual(read.splice(0), ['results/1']);
  await Array.fromAsync(blobs.list('results/'));
  assert.deepEqual(read.splice(0).sort(), ['results', 'results/1', 'results/2', 'results/deep']);
  await blobs.removeLeftovers();
  assert.deepEqual(read.sort(), ['models', 'parts', 'results', 'spark']);
});

for (const [name, root] of [
  ['a folder', folder],
  ['S3', join(dir, 'artifact-cache')],
]) {
  test(`what a crash left half-written goes when nobody writes to it any more (${name})`, async () => {
    const blobs = stores[name]();
    await blobs.putFile('models/whole', localFile('whole'));
    await blobs.localFile('models/whole');
    const place = join(root, 'models');
    const old = new Date(Date.now() - 2 * 3_600_000);
    for (const left of ['.00000000000000aa.partial', '.00000000000000bb.partial', '.of-somebody-else', 'whole']) {
      writeFileSync(join(place, left), 'whole');
      if (!left.includes('bb')) utimesSync(join(place, left), old, old);
    }
    assert.equal(await blobs.removeLeftovers(), 1);
    const kept = readdirSync(place);
    assert.ok(!kept.includes('.00000000000000aa.partial'));
    assert.ok(kept.includes('.00000000000000bb.partial'), 'perhaps another process writes it now');
    assert.ok(kept.includes('.of-somebody-else') && kept.includes('whole'));
  });
}

test('temporary S3 errors are retried', async () => {
  const blobs = stores.S3();
  await blobs.putFile('models/again', localFile('again'));
  s3.fail(1, 503);
  assert.equal(await text(blobs, 'models/again'), 'again');
});

test('an upload that S3 rejects temporarily is sent again in full', async () => {
  const blobs = stores.S3();
  s3.fail(2, 503);
  await blobs.putFile('models/sent-again', localFile('all of it'));
  assert.equal(await text(blobs, 'models/sent-again'), 'all of it');
});

test('a file larger than one part is uploaded in parts, and a part that S3 refuses is sent again', async () => {
  const partBytes = 5 * 1024 ** 2;
  const blobs = new S3BlobStore(new URL(s3.url('some/prefix')), join(dir, 'cache-parts'), { partBytes });
  const path = join(dir, 'large');
  const content = Buffer.alloc(12 * 1024 ** 2, 'kindred ');
  writeFileSync(path, content);
  s3.fail(2, 503);
  await blobs.putFile('models/large', path);
  assert.deepEqual(s3.lastParts(), [partBytes, partBytes, content.length - 2 * partBytes]);
  assert.ok(readFileSync(await blobs.localFile('models/large')).equals(content));
  assert.equal(s3.openUploads(), 0);
});

test('an upload in parts that fails for good leaves no parts behind', async () => {
  const blobs = new S3BlobStore(new URL(s3.url('some/prefix')), join(dir, 'cache-parts'), { partBytes: 5 * 1024 ** 2 });
  const path = join(dir, 'refused');
  writeFileSync(path, Buffer.alloc(12 * 1024 ** 2));
  s3.failParts(400);
  await assert.rejects(blobs.putFile('models/refused', path));
  s3.failParts(null);
  assert.equal(s3.openUploads(), 0);
  assert.ok(!s3.objects.has('some/prefix/models/refused'));
});

test('uploads in parts that a crash has cut off are ended after a day, where S3 allows it', async () => {
  const blobs = new S3BlobStore(new URL(s3.url('some/prefix')), join(dir, 'cache-uploads'));
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * HOUR_MS);
  for (const key of ['models/a', 'models/a', 'models/b', 'models/c', 'results/d', 'parts/e', 'spark/f']) {
    s3.leaveUpload(`some/prefix/${key}`, hoursAgo(25));
  }
  for (const refusal of [400, 403, 501]) {
    s3.failListingUploads(refusal);
    assert.equal(await blobs.removeLeftovers(), 0);
  }
  s3.failListingUploads(null);
  s3.leaveUpload('some/prefix/models/new', hoursAgo(23));
  s3.leaveUpload('some/prefix/of-another-program', hoursAgo(25));
  s3.leaveUpload('models/of-another-prefix', hoursAgo(25));
  assert.equal(await blobs.removeLeftovers(), 7);
  assert.equal(s3.openUploads(), 3);
  assert.equal(await blobs.removeLeftovers(), 0);
});

test('an upload is not taken for cut off by a machine whose clock is ahead', async (t) => {
  const blobs = new S3BlobStore(new URL(s3.url('ahead')), join(dir, 'cache-ahead'));
  s3.leaveUpload('ahead/models/new', new Date());
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 30 * HOUR_MS });
  assert.equal(await blobs.removeLeftovers(), 0);
});

for (const how of ['cut', 'stall'] as const) {
  test(`an interrupted download is restarted (${how})`, async () => {
    const blobs = new S3BlobStore(new URL(s3.url('some/prefix')), join(dir, `cache-${how}`), { idleMs: 300 });
    await blobs.putFile(`models/${how}`, localFile('hello'.repeat(50_000)));
    s3.interrupt(1, how);
    const path = await blobs.localFile(`models/${how}`);
    assert.equal(readFileSync(path, 'utf8'), 'hello'.repeat(50_000));
    assert.deepEqual(readdirSync(dirname(path)), [how], 'nothing half-written is left');
  });
}

test('a download that fails every time is reported as unavailable, and a later one is tried again', async () => {
  const blobs = stores.S3();
  await blobs.putFile('models/unlucky', localFile('hello'));
  s3.interrupt(3, 'cut');
  await assert.rejects(blobs.localFile('models/unlucky'), { code: 'STORE_UNAVAILABLE' });
  assert.equal(readFileSync(await blobs.localFile('models/unlucky'), 'utf8'), 'hello');
});

test('room in the cache is made before a download, least recently used files first, for what is on its way too', async () => {
  const dataDir = mkdtempSync(join(dir, 'small-'));
  const blobs = openBlobStore({ dataDir, artifactsUrl: s3.url('some/prefix'), artifactCacheMb: 1 });
  const models = join(dataDir, 'artifact-cache', 'models');
  const cached = () => readdirSync(models).sort();
  const kib = (count: number) => 'k'.repeat(1024 * count);
  for (const [at, name] of ['oldest', 'older', 'newest', 'failing'].entries()) {
    await blobs.putFile(`models/${name}`, localFile(kib(300)));
    if (name === 'failing') break;
    utimesSync(await blobs.localFile(`models/${name}`), at, at);
  }
  assert.deepEqual(cached(), ['newest', 'older', 'oldest']);
  s3.interrupt(3, 'cut');
  await assert.rejects(blobs.localFile('models/failing'));
  assert.deepEqual(cached(), ['newest', 'older'], '900 KiB and 300 are more than 1024');
  const partial = '.0123456789abcdef.partial';
  writeFileSync(join(models, partial), kib(400));
  await blobs.localFile('models/failing');
  assert.deepEqual(cached(), [partial, 'failing', 'newest'], '600 KiB, 400 of another process and 300 are too');
});

test('a folder goes with its last file, and those above it that are empty then', async () => {
  const dataDir = mkdtempSync(join(dir, 'folders-'));
  const blobs = openBlobStore({ dataDir });
  const names = () => readdirSync(dataDir, { recursive: true }).map(String).sort();
  for (const key of ['spark/run/out-0/rows/a', 'spark/run/out-0/rows/b', 'spark/other/c']) {
    await blobs.putFile(key, localFile('x'));
  }
  await blobs.delete('spark/run/out-0/rows/a');
  assert.ok(names().includes('artifacts/spark/run/out-0/rows/b'));
  await blobs.delete('spark/run/out-0/rows/b');
  assert.deepEqual(names(), ['artifacts', 'artifacts/spark', 'artifacts/spark/other', 'artifacts/spark/other/c']);
  await blobs.delete('spark/run/never/there');
  await blobs.delete('spark/other/c');
  assert.deepEqual(names(), ['artifacts'], 'the folder of all files stays');
});

test('a file arrives although its folder, empty until then, is removed meanwhile', async (t) => {
  const blobs = openBlobStore({ dataDir: mkdtempSync(join(dir, 'race-')) });
  const { rename } = fs;
  let removed = 0;
  t.mock.method(fs, 'rename', async (from: string, to: string) => {
    // As by whoever deletes the last other file in it.
    if (removed++ < 2) await blobs.delete('spark/kept/nothing');
    return rename(from, to);
  });
  syncBuiltinESMExports();
  try {
    await blobs.putFile('spark/kept/file', localFile('hello'));
  } finally {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  }
  assert.equal(removed, 3);
  assert.equal(await text(blobs, 'spark/kept/file'), 'hello');
});

test('marks of folders, which other programs leave in S3, can be deleted', async () => {
  const blobs = stores.S3();
  s3.objects.set('some/prefix/spark/run/rows/', Buffer.alloc(0));
  await blobs.delete('spark/run/rows/');
  assert.ok(!s3.objects.has('some/prefix/spark/run/rows/'));
});

test('other programs are told where the same files are, and how to reach an S3 server that is not that of AWS', () => {
  const folder = { dataDir: '/data', artifactsUrl: null };
  assert.equal(blobsUrlOf(folder), 'file:///data/artifacts');
  assert.deepEqual(hadoopSettingsOf(folder), {});
  const aws = { dataDir: '/data', artifactsUrl: 's3://bucket/some/prefix/?region=eu-2' };
  assert.equal(blobsUrlOf(aws), 's3a://bucket/some/prefix');
  assert.deepEqual(hadoopSettingsOf(aws), {
    'fs.s3a.endpoint.region': 'eu-2',
    'fs.s3a.fast.upload.buffer': 'bytebuffer',
    'fs.s3a.path.style.access': 'false',
  });
  const query = 'endpoint=http%3A%2F%2F127.0.0.1%3A9000&region=eu-1&path_style=true';
  const other = { dataDir: '/data', artifactsUrl: `s3://bucket/prefix?${query}` };
  assert.equal(blobsUrlOf(other), 's3a://bucket/prefix');
  assert.deepEqual(hadoopSettingsOf(other), {
    'fs.s3a.endpoint': 'http://127.0.0.1:9000',
    'fs.s3a.endpoint.region': 'eu-1',
    'fs.s3a.fast.upload.buffer': 'bytebuffer',
    'fs.s3a.path.style.access': 'true',
  });
});
