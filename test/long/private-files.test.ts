// Nothing that the service writes can be read by other users of the machine.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { clientOf } from '../support/fill-release.ts';
import { keptReleases, readKeptRelease, unpackKeptRelease } from '../support/kept-release.ts';
import { newDataDir, startServiceProcess } from '../support/service.ts';
import { DIALECTS } from '../support/test-database.ts';

interface Found {
  path: string;
  mode: number;
}

/** A job that has just ended removes its files: the walk begins again when one of them is gone. */
function allIn(folder: string): Found[] {
  for (;;) {
    try {
      const below = readdirSync(folder, { recursive: true, withFileTypes: true });
      const paths = [folder, ...below.map((entry) => join(entry.parentPath, entry.name))];
      return paths.map((path) => ({ path, mode: lstatSync(path).mode }));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || !existsSync(folder)) throw error;
    }
  }
}

const pathsIn = (folder: string): string[] => allIn(folder).map(({ path }) => path);
const openPaths = (folder: string): string[] =>
  allIn(folder).flatMap(({ path, mode }) => ((mode & 0o077) === 0 ? [] : path));

function openToOthers(folder: string): void {
  for (const path of pathsIn(folder)) chmodSync(path, lstatSync(path).isDirectory() ? 0o755 : 0o644);
}

test('a data folder that the service makes is for its user alone, whatever the umask is', async () => {
  const parent = await newDataDir();
  const dataDir = join(parent, 'new', 'data');
  const before = process.umask(0);
  const service = await startServiceProcess({ KINDRED_DATA_DIR: dataDir, KINDRED_ROLES: 'api,worker' });
  try {
    await service.ok('POST', '/create-user-dataset', { name: 'users' });
    assert.ok(pathsIn(dataDir).some((path) => path.endsWith('kindred.sqlite-wal')));
    assert.deepEqual(openPaths(dirname(dataDir)), []);
  } finally {
    process.umask(before);
    await service.stop();
    rmSync(parent, { recursive: true });
  }
});

test('a data folder that somebody opened to others is closed at the next start', async () => {
  const dataDir = await newDataDir();
  const settings = { KINDRED_DATA_DIR: dataDir, KINDRED_ROLES: 'api,worker' };
  await (await startServiceProcess(settings)).stop();
  openToOthers(dataDir);
  const service = await startServiceProcess(settings);
  try {
    assert.ok(pathsIn(dataDir).some((path) => path.endsWith('served')));
    assert.deepEqual(openPaths(dataDir), []);
  } finally {
    await service.stop();
    rmSync(dataDir, { recursive: true });
  }
});

for (const dialect of DIALECTS) {
  test(`${dialect}: what an earlier release left open is closed at the start, and results and models are private`, async () => {
    const release = keptReleases()[0];
    const place = await unpackKeptRelease(release, dialect);
    openToOthers(place.dataDir);
    const service = await startServiceProcess({
      KINDRED_ROLES: 'api,worker',
      ...place.env,
    });
    try {
      const { ids, accounts } = readKeptRelease(release, dialect);
      const shop = clientOf(service.baseUrl, accounts.default);
      const { project_id } = ids;
      const { models } = await shop.listModels({ project_id });
      const { job_id } = await shop.submitClusteringJob({
        project_id,
        model_id: models[0].model_id,
        cluster_type: 'user',
      });
      await shop.waitForJob({ project_id, job_id }, { maxPollMs: 100 });
      assert.ok(pathsIn(place.dataDir).some((path) => path.includes('/results/')));
      assert.deepEqual(openPaths(place.dataDir), []);
    } finally {
      await service.stop();
      await place.remove();
    }
  });
}

test('a folder that holds other things too is not changed, and a warning names it', async () => {
  const dataDir = await newDataDir();
  mkdirSync(join(dataDir, 'photos'), { mode: 0o755 });
  writeFileSync(join(dataDir, 'photos', 'cat'), 'miau', { mode: 0o644 });
  chmodSync(dataDir, 0o755);
  const service = await startServiceProcess({ KINDRED_DATA_DIR: dataDir });
  try {
    assert.deepEqual(
      openPaths(dataDir).sort(),
      [dataDir, join(dataDir, 'photos'), join(dataDir, 'photos', 'cat')].sort(),
    );
  } finally {
    await service.stop();
    assert.match(service.output(), /other users of this machine can read these paths/);
    rmSync(dataDir, { recursive: true });
  }
});
