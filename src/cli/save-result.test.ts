import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type Scripted, startScriptedServer } from '../../test/support/scripted-server.ts';
import { type Job, Kindred, KindredError } from '../client/index.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import { findPlace } from './result-place.ts';
import { saveResult } from './save-result.ts';

const TABLE = 'user_id,group\n'.repeat(1000);
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kindred-result-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Saves from a server that gives these responses, each once and the last one for ever. */
async function save(
  responses: Scripted[],
  path: string,
  { signal = new AbortController().signal, timeoutMs }: { signal?: AbortSignal; timeoutMs?: number } = {},
): Promise<number> {
  const server = await startScriptedServer((_, nth) => responses[Math.min(nth, responses.length) - 1]);
  const retry = { maxRetries: 2, baseDelayMs: 1 };
  const kindred = new Kindred({ baseUrl: server.baseUrl, apiKey: 'k', clientSecret: 's', retry, timeoutMs });
  const job = { job_result: { download_url: `${server.baseUrl}/results/r?signature=s` } } as unknown as Job;
  try {
    await saveResult(kindred, job, { place: await findPlace(path), format: 'csv', signal });
    return server.asked.length;
  } finally {
    await server.close();
  }
}

test('a download that loses its connection starts again, and the file is whole', async () => {
  const path = join(folder, 'groups.csv');
  assert.equal(await save([{ body: TABLE, cut: 'midway' }, { cut: true }, { body: TABLE }], path), 3);
  assert.equal(readFileSync(path, 'utf8'), TABLE);
  assert.deepEqual(readdirSync(folder), ['groups.csv']);
});

test('a download that fails leaves the file as it was, and is told as a lost connection', async () => {
  const path = join(folder, 'groups.csv');
  writeFileSync(path, 'of yesterday');
  await assert.rejects(save([{ body: TABLE, cut: 'midway' }], path), (error) => {
    assert.ok(error instanceof KindredError);
    assert.equal(error.code, 'CONNECTION_FAILED');
    assert.equal(exitCodeOf(error), EXIT.UNREACHABLE);
    return true;
  });
  await assert.rejects(save([{ status: 410, body: { code: 'LINK_EXPIRED', detail: 'late' } }], path), {
    code: 'LINK_EXPIRED',
  });
  assert.equal(readFileSync(path, 'utf8'), 'of yesterday');
  assert.deepEqual(readdirSync(folder), ['groups.csv']);
});

test('a file that is replaced keeps its link and its mode, and no other file is touched', async () => {
  const [path, link, own] = ['groups.csv', 'latest.csv', 'groups.csv.part'].map((name) => join(folder, name));
  writeFileSync(own, 'of the user');
  writeFileSync(path, 'of yesterday');
  symlinkSync('groups.csv', link);
  for (const mode of [0o600, 0o666]) {
    chmodSync(path, mode);
    await save([{ body: TABLE, cut: 'midway' }, { body: TABLE }], link);
    assert.equal(statSync(path).mode & 0o777, mode);
  }
  assert.equal(readlinkSync(link), 'groups.csv');
  assert.equal(readFileSync(path, 'utf8'), TABLE);
  assert.equal(readFileSync(own, 'utf8'), 'of the user');
  assert.deepEqual(readdirSync(folder).sort(), ['groups.csv', 'groups.csv.part', 'latest.csv']);
});

test('what is wrong with the file is not told as a lost connection', async () => {
  const path = join(folder, 'no-such-folder', 'groups.csv');
  await assert.rejects(save([{ body: TABLE }], path), (error) => exitCodeOf(error) === EXIT.USAGE);
});

test('an interrupted download ends with the reason of the interruption', async () => {
  const reason = new Error('interrupted');
  await assert.rejects(
    save([{ body: TABLE }], join(folder, 'groups.csv'), { signal: AbortSignal.abort(reason) }),
    reason,
  );
  assert.deepEqual(readdirSync(folder), []);
});

test('a download that stalls ends with the reason of the interruption', async () => {
  const reason = new Error('interrupted');
  const controller = new AbortController();
  const saving = save([{ body: TABLE, stall: true }], join(folder, 'groups.csv'), { signal: controller.signal });
  while (!readdirSync(folder).some((name) => statSync(join(folder, name)).size > 0)) await setImmediate();
  controller.abort(reason);
  await assert.rejects(saving, reason);
  assert.deepEqual(readdirSync(folder), []);
});

test('a download that stalls starts again after the time limit, and ends with TIMEOUT if it stalls each time', async () => {
  const path = join(folder, 'groups.csv');
  const stalled: Scripted = { body: TABLE, stall: true };
  assert.equal(await save([stalled, { body: TABLE }], path, { timeoutMs: 200 }), 2);
  assert.equal(readFileSync(path, 'utf8'), TABLE);
  await assert.rejects(save([stalled], path, { timeoutMs: 50 }), { code: 'TIMEOUT' });
});

test('a pipe gets the result itself, and a lost connection ends it', async () => {
  const pipe = join(folder, 'groups.csv');
  execFileSync('mkfifo', [pipe]);
  const [whole] = await Promise.all([readFile(pipe, 'utf8'), save([{ body: TABLE }], pipe)]);
  assert.equal(whole, TABLE);
  const half = readFile(pipe, 'utf8');
  await assert.rejects(save([{ body: TABLE, cut: 'midway' }, { body: TABLE }], pipe), (error) => {
    assert.match(String(error), /groups\.csv got only a part of the result/);
    assert.equal(exitCodeOf(error), EXIT.UNREACHABLE);
    return true;
  });
  assert.ok((await half).length < TABLE.length);
  assert.ok(statSync(pipe).isFIFO());
});

test('a link to a file that does not exist remains, and the file appears', async () => {
  const [path, link, next] = ['Nov-19.csv', 'latest.csv', 'newest.csv'].map((name) => join(folder, name));
  symlinkSync('Nov-19.csv', link);
  symlinkSync('latest.csv', next);
  await save([{ body: TABLE, cut: 'midway' }, { body: TABLE }], next);
  assert.deepEqual([readlinkSync(link), readlinkSync(next)], ['Nov-19.csv', 'latest.csv']);
  assert.equal(readFileSync(path, 'utf8'), TABLE);
  assert.equal(readdirSync(folder).length, 3);
});

test('a file in a folder that is not writable is overwritten, and a file that is not writable is refused', () => {
  const [path, fixed] = ['groups.csv', 'fixed.csv'].map((name) => join(folder, name));
  for (const file of [path, fixed])
    writeFileSync(file, 'a long text of yesterday, which is not to remain'.repeat(1000));
  chmodSync(path, 0o666);
  chmodSync(fixed, 0o444);
  chmodSync(folder, 0o555);
  const [overwritten, refused, missing] = saveElsewhere([path, fixed, join(folder, 'new.csv')]);
  assert.equal(overwritten, 'overwrite');
  assert.equal(readFileSync(path, 'utf8'), TABLE);
  assert.match(refused, /EACCES: permission denied, access '.*fixed\.csv'/);
  assert.match(missing, /EACCES: permission denied, access/);
  chmodSync(folder, 0o755);
});

const mayMount = spawnSync('unshare', ['-rm', 'true']).status === 0;
test('a file that is mounted by itself is overwritten', { skip: !mayMount && 'no mounts here' }, () => {
  const [path, mounted] = ['groups.csv', 'mounted.csv'].map((name) => join(folder, name));
  for (const file of [path, mounted]) writeFileSync(file, 'of yesterday');
  saveElsewhere([mounted], ['unshare', '-rm', 'sh', '-c', `mount --bind '${path}' '${mounted}' && exec "$@"`, 'sh']);
  assert.equal(readFileSync(path, 'utf8'), TABLE);
  assert.deepEqual(readdirSync(folder).sort(), ['groups.csv', 'mounted.csv']);
});

/**
 * Saves in a separate process that does not run as root, because root may write everything. Returns for each path how it was
 * saved, or why not.
 */
function saveElsewhere(paths: string[], within: string[] = []): string[] {
  const script = `
    import { findPlace } from '${import.meta.resolve('./result-place.ts')}';
    import { saveResult } from '${import.meta.resolve('./save-result.ts')}';
    const kindred = { streamResult: (_, save) => save([process.argv[1]]) };
    const save = async (path) => {
      const place = await findPlace(path);
      await saveResult(kindred, {}, { place, signal: new AbortController().signal });
      return place.by;
    };
    const saved = await Promise.all(process.argv.slice(2).map((path) => save(path).catch(({ message }) => message)));
    console.log(JSON.stringify(saved));`;
  const [command, ...args] = [...within, process.execPath, '--input-type=module', '-e', script, TABLE, ...paths];
  const isRoot = process.getuid?.() === 0 && within.length === 0;
  return JSON.parse(execFileSync(command, args, { encoding: 'utf8', ...(isRoot && { uid: 65_534, gid: 65_534 }) }));
}
