import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { ArtifactError, FORMAT_VERSION, MAX_JSON_BYTES } from './format.ts';
import { readArtifact } from './read-artifact.ts';
import { type ArtifactContent, writeArtifact } from './write-artifact.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-artifact-'));
});
after(() => rm(folder, { recursive: true }));

const CONTENT: ArtifactContent = {
  kind: 'sample',
  meta: { name: 'é ✓', nested: { list: [1, 2.5, null] } },
  sections: new Map<string, Uint8Array | Uint32Array | Float32Array | Float16Array | Float64Array>([
    ['bytes', Uint8Array.of(1, 2, 3)],
    ['empty', new Float32Array(0)],
    ['numbers', Uint32Array.of(0, 4_294_967_295, 7)],
    ['floats', Float32Array.from({ length: 1000 }, (_, n) => Math.sin(n))],
    ['halves', Float16Array.of(0.5, -2)],
    ['doubles', Float64Array.of(Math.PI, 8.64e15)],
  ]),
};

async function refusal(path: string): Promise<ArtifactError> {
  try {
    await readArtifact(path);
  } catch (error) {
    assert.ok(error instanceof ArtifactError, `${error}`);
    return error;
  }
  throw new Error('the file was accepted');
}

test('what was written is read back, on shared memory', async () => {
  const path = join(folder, 'whole.model');
  const bytes = await writeArtifact(path, CONTENT);
  assert.equal((await readFile(path)).length, bytes);
  const artifact = await readArtifact(path);
  assert.equal(artifact.kind, 'sample');
  assert.deepEqual(artifact.meta, CONTENT.meta);
  for (const [name, type] of [
    ['bytes', 'u8'],
    ['empty', 'f32'],
    ['numbers', 'u32'],
    ['floats', 'f32'],
    ['halves', 'f16'],
    ['doubles', 'f64'],
  ] as const) {
    const section = artifact.section(name, type);
    assert.ok(section.buffer instanceof SharedArrayBuffer);
    assert.deepEqual([...section], [...CONTENT.sections.get(name)!]);
  }
  assert.throws(() => artifact.section('absent', 'u8'), /section absent of type u8 is missing/);
  assert.throws(() => artifact.section('bytes', 'f32'), /section bytes of type f32 is missing/);
});

test('writing leaves no temporary file, also when it fails, and replaces what stood there', async () => {
  const path = join(folder, 'atomic.model');
  await writeArtifact(path, { ...CONTENT, meta: { turn: 1 } });
  const sections = new Map(CONTENT.sections).set('bad', [] as unknown as Uint8Array);
  await assert.rejects(writeArtifact(path, { ...CONTENT, sections }));
  await writeArtifact(path, { ...CONTENT, meta: { turn: 2 } });
  assert.deepEqual((await readArtifact(path)).meta, { turn: 2 });
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.startsWith('atomic')),
    ['atomic.model'],
  );
});

test('a header that is too long to be read is not written', async () => {
  const meta = { long: 'x'.repeat(MAX_JSON_BYTES) };
  await assert.rejects(writeArtifact(join(folder, 'long.model'), { ...CONTENT, meta }), /header has room for/);
});

test('any flipped bit is refused', async () => {
  const path = join(folder, 'flipped.model');
  await writeArtifact(path, { ...CONTENT, sections: new Map([...CONTENT.sections].slice(0, 3)) });
  const good = await readFile(path);
  for (let at = 0; at < good.length; at++) {
    const bad = Buffer.from(good);
    bad[at] ^= 1 << (at % 8);
    await writeFile(path, bad);
    assert.equal((await refusal(path)).reason, at < 8 ? 'foreign' : 'damaged', `byte ${at}`);
  }
});

test('a file cut at any length is refused', async () => {
  const path = join(folder, 'cut.model');
  const bytes = await writeArtifact(path, CONTENT);
  for (const length of [bytes - 1, bytes - 64, 4096, 100, 40, 32, 31, 8, 7, 0]) {
    if (length >= bytes) continue;
    await writeArtifact(path, CONTENT);
    await truncate(path, length);
    const error = await refusal(path);
    assert.match(error.message, length < 8 ? /not a Kindred model file/ : /damaged: .*(bytes).* train the model again/);
  }
});

test('a newer format says what to do, a foreign file says what it is', async () => {
  const path = join(folder, 'newer.model');
  await writeArtifact(path, CONTENT);
  const bytes = await readFile(path);
  bytes.writeUInt32LE(FORMAT_VERSION + 1, 8);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 28)), 28);
  await writeFile(path, bytes);
  const error = await refusal(path);
  assert.equal(error.reason, 'newer');
  assert.match(error.message, /file format 2; this one reads up to 1\)\. Upgrade Kindred/);
  await writeFile(path, 'just a text that is longer than the header of a model file');
  assert.equal((await refusal(path)).reason, 'foreign');
});

test('a section that claims more than the file holds is refused before it is used', async () => {
  const path = join(folder, 'claims.model');
  await writeArtifact(path, CONTENT);
  const bytes = await readFile(path);
  const jsonBytes = bytes.readUInt32LE(12);
  const json = bytes.subarray(32, 32 + jsonBytes);
  const text = json.toString('utf8').replace('"length":1000', '"length":9999');
  Buffer.from(text).copy(json);
  bytes.writeUInt32LE(crc32(json), 24);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 28)), 28);
  await writeFile(path, bytes);
  assert.match((await refusal(path)).message, /section floats does not fit/);
});
