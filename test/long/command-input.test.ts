// What people give to commands against a real service: definitions in files, and numbers.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createEmptyProject, type EmptyProject } from '../support/empty-project.ts';
import { startTestService, type TestService } from '../support/service.ts';

const ENTRY = join(import.meta.dirname, '../../src/main.ts');
const folder = mkdtempSync(join(tmpdir(), 'kindred-command-input-'));
let service: TestService;
let project: EmptyProject;

before(async () => {
  service = await startTestService();
  project = await createEmptyProject(service);
});
after(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

function kindred(...words: string[]): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, KINDRED_DATA_DIR: service.dataDir };
  return new Promise((resolve) => {
    execFile(process.execPath, [ENTRY, ...words], { env, cwd: folder }, (error, stdout, stderr) => {
      resolve({ code: error ? error.code : 0, stdout, stderr });
    });
  });
}

async function json(...words: string[]) {
  const { code, stdout, stderr } = await kindred(...words, '--json');
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

test('what placement show prints can be set under another name and in another project', async () => {
  const [shown, file] = ['shown', 'another'].map((name) => join(folder, `${name}.json`));
  writeFileSync(shown, JSON.stringify({ kind: 'popular', defaults: { limit: 4 }, fallback: ['newest'] }));
  await json('placement', 'set', 'shown', shown);
  const placement = await json('placement', 'show', 'shown');
  writeFileSync(file, JSON.stringify({ ...placement, project_id: 'prj_01k9zq4m2v8h3c7f5x1d0b6n9e' }));
  for (const version of [1, 2]) {
    const set = await json('placement', 'set', 'another', file);
    assert.deepEqual([set.project_id, set.name, set.version], [project.project_id, 'another', version]);
  }
  const printed = async (name: string) => JSON.parse((await kindred('placement', 'show', name)).stdout);
  assert.deepEqual(await printed('another'), await printed('shown'));
  assert.equal((await json('placement', 'show', 'shown')).version, 1, 'what the file names stays as it is');
});

test('a file that cannot be read and a version that is no number are told in one line', async () => {
  for (const words of [
    ['set', 'shown', 'no-such.json'],
    ['rollback', 'shown', 'two'],
  ]) {
    const { code, stderr } = await kindred('placement', ...words);
    assert.equal(code, 2, stderr);
    assert.match(stderr, /^kindred: .*\n$/);
  }
});

test('a value of an event that is not a number is refused', async () => {
  for (const value of ['2,5', '']) {
    const { code, stderr } = await kindred('track', 'u1', 'i1', '--value', value);
    assert.equal(code, 2, value);
    assert.match(stderr, /It must be a number such as 2\.5\./);
  }
  await json('track', 'u1', 'i1', '--value', '2.5');
  const { event_dataset_id } = project;
  const { records } = await service.ok('GET', '/list-dataset-records', { event_dataset_id, user_id: 'u1' });
  assert.deepEqual(
    records.map(({ event_value }: { event_value: number }) => event_value),
    [2.5],
  );
});
