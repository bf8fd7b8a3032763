// Holds a data folder against the marks of a workload: what was acknowledged is there, what was deleted is not, and every model has
// a whole file.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readArtifact } from '../../src/artifact/read-artifact.ts';
import { readJournal } from '../../src/outcomes/served-journal.ts';
import { openBlobStore } from '../../src/store/blob/open-blob-store.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { promisedBy } from './marks.ts';

const PAGE = { page_size: 1000, page_token: null };

export interface CheckOptions {
  /** Write something too: the store must continue. */
  writes: boolean;
  /** Counts of served lists may be lost with power, and only then. */
  isPowerLost: boolean;
}

export interface Checked {
  /** in words */
  wrong: string[];
  /** acknowledged rows that were looked for */
  rows: number;
}

export async function checkFolder(
  dataDir: string,
  marks: readonly string[],
  { writes, isPowerLost }: CheckOptions,
): Promise<Checked> {
  const wrong = checkJournals(dataDir, marks, isPowerLost);
  let rows = 0;
  let store: Store;
  try {
    store = await openStore({ dataDir });
  } catch (error) {
    return { wrong: [...wrong, `the store does not open: ${error}`], rows };
  }
  try {
    const project = marks.find((line) => line.startsWith('project '));
    if (project !== undefined) {
      const found = await checkRows(store, dataDir, project, marks);
      wrong.push(...found.wrong);
      rows = found.rows;
      if (writes) wrong.push(...(await checkWriting(store, project)));
    }
    const [{ integrity_check }] = await store.database.all<{ integrity_check: string }>('PRAGMA integrity_check');
    if (integrity_check !== 'ok') wrong.push(`the database is damaged: ${integrity_check}`);
  } catch (error) {
    wrong.push(`a call failed: ${error}`);
  } finally {
    await store.close();
  }
  return { wrong, rows };
}

/** One list may be under way, and each error may be that of the last write. */
function checkJournals(dataDir: string, marks: readonly string[], isPowerLost: boolean): string[] {
  const wrong: string[] = [];
  const countOf = (kind: string) => marks.filter((line) => line.startsWith(`${kind} `)).length;
  const served = countOf('served');
  const least = isPowerLost ? 0 : served - countOf('error');
  for (const name of existsSync(dataDir) ? readdirSync(dataDir).filter((file) => file.startsWith('journal-')) : []) {
    try {
      const lists = readJournal(join(dataDir, name)).counts.reduce((sum, counted) => sum + counted.lists, 0);
      if (!(lists >= least && lists <= served + 1))
        wrong.push(`the journal counts ${lists} lists, ${served} were served`);
    } catch (error) {
      wrong.push(`the journal cannot be read: ${error}`);
    }
  }
  return wrong;
}

async function checkRows(store: Store, dataDir: string, project: string, marks: readonly string[]): Promise<Checked> {
  const [, account, projectId, itemsId, eventsId] = project.split(' ');
  const wrong: string[] = [];
  const promised = promisedBy(marks);
  if ((await store.projects.get(account, projectId)) === null) wrong.push(`project ${projectId} is lost`);
  for (const [id, isThere] of promised.events)
    if (((await store.events.get(eventsId, id)) !== null) !== isThere)
      wrong.push(`event ${id} is ${isThere ? 'lost' : 'back'}`);
  for (const [id, isThere] of promised.items)
    if (((await store.items.get(itemsId, id)) !== null) !== isThere)
      wrong.push(`item ${id} is ${isThere ? 'lost' : 'back'}`);
  const { entries: models } = await store.models.list(account, projectId, PAGE);
  const blobs = openBlobStore({ dataDir });
  for (const id of promised.models)
    if (!models.some(({ model_id }) => model_id === id)) wrong.push(`model ${id} is lost`);
  for (const { model_id, artifact_key } of models) {
    await blobs
      .localFile(artifact_key)
      .then(readArtifact)
      .catch((error) => wrong.push(`the file of model ${model_id} is not whole: ${error}`));
  }
  return { wrong, rows: 1 + promised.events.size + promised.items.size + promised.models.size };
}

async function checkWriting(store: Store, project: string): Promise<string[]> {
  const [, account, , itemsId] = project.split(' ');
  const items = await store.datasets.get(account, 'item', itemsId);
  if (items === null) return [`item dataset ${itemsId} is lost`];
  await store.items.upsert(items, [{ id: 'after', attributes: {} }]);
  return (await store.items.get(itemsId, 'after')) === null ? ['the store takes no more writes'] : [];
}
