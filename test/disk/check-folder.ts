// Holds a data folder against the marks of a workload: what was acknowledged is there, what was deleted is not, and every model has
// a whole file. Returns what is wrong, in words.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readArtifact } from '../../src/artifact/read-artifact.ts';
import { readJournal } from '../../src/outcomes/served-journal.ts';
import { openBlobStore } from '../../src/store/blob/open-blob-store.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';

const PAGE = { page_size: 1000, page_token: null };

export interface CheckOptions {
  /** Write something too: the store must continue. */
  writes: boolean;
}

export async function checkFolder(
  dataDir: string,
  marks: readonly string[],
  { writes }: CheckOptions,
): Promise<string[]> {
  const wrong: string[] = [];
  const told = marks.map((line) => line.split(' '));
  const [, account, projectId, itemsId, eventsId] = told.find(([kind]) => kind === 'project') ?? [];
  let served = 0;
  for (const [kind, count] of told) if (kind === 'served') served = Number(count);
  for (const name of existsSync(dataDir) ? readdirSync(dataDir).filter((file) => file.startsWith('journal-')) : []) {
    try {
      for (const { lists } of readJournal(join(dataDir, name)).counts) {
        // Counts of the last second may be lost with power; none may be invented.
        if (!(lists >= 0 && lists <= served + 1))
          wrong.push(`the journal counts ${lists} lists, ${served} were served`);
      }
    } catch (error) {
      wrong.push(`the journal cannot be read: ${error}`);
    }
  }
  let store: Store;
  try {
    store = await openStore({ dataDir });
  } catch (error) {
    return [...wrong, `the store does not open: ${error}`];
  }
  try {
    if (account === undefined) return wrong;
    const expected = expectedOf(told);
    for (const [id, isThere] of expected.events) {
      if (((await store.events.get(eventsId, id)) !== null) !== isThere)
        wrong.push(`event ${id} is ${isThere ? 'lost' : 'back'}`);
    }
    for (const [id, isThere] of expected.items) {
      if (((await store.items.get(itemsId, id)) !== null) !== isThere)
        wrong.push(`item ${id} is ${isThere ? 'lost' : 'back'}`);
    }
    const { entries: models } = await store.models.list(account, projectId, PAGE);
    const blobs = openBlobStore({ dataDir });
    for (const id of expected.models)
      if (!models.some(({ model_id }) => model_id === id)) wrong.push(`model ${id} is lost`);
    for (const { model_id, artifact_key } of models) {
      await blobs
        .localFile(artifact_key)
        .then(readArtifact)
        .catch((error) => wrong.push(`the file of model ${model_id} is not whole: ${error}`));
    }
    if (writes && (await store.projects.get(account, projectId)) !== null) {
      const items = (await store.datasets.get(account, 'item', itemsId))!;
      await store.items.upsert(items, [{ id: 'after', attributes: {} }]);
      if ((await store.items.get(itemsId, 'after')) === null) wrong.push('the store takes no more writes');
    }
    return wrong;
  } catch (error) {
    return [...wrong, `a call failed: ${error}`];
  } finally {
    await store.close();
  }
}

/** id → whether it must be there, after all marks in their order. What a call in flight may have changed is left out by the caller. */
function expectedOf(told: readonly string[][]) {
  const [events, items, models] = [new Map<string, boolean>(), new Map<string, boolean>(), new Set<string>()];
  const userOf = (eventId: string) => {
    const [round, n] = eventId.slice(1).split('-').map(Number);
    return `u${(round + n) % 5}`;
  };
  for (const [kind, id] of told) {
    if (kind === 'event') events.set(id, true);
    if (kind === 'item') items.set(id, true);
    if (kind === 'removed') items.set(id, false);
    if (kind === 'model') models.add(id);
    if (kind === 'forgotten') for (const event of events.keys()) if (userOf(event) === id) events.set(event, false);
  }
  return { events, items, models };
}
