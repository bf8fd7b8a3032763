// A thread that makes lists: it opens the stores and loads the models itself, then makes lists batch by batch.
import { parentPort, workerData } from 'node:worker_threads';
import { systemRuntime } from '../../base/runtime.ts';
import { JobFailure } from '../../domain/job.ts';
import { openBlobStore } from '../../store/blob/open-blob-store.ts';
import { openStore } from '../../store/open-store.ts';
import { LIST_THREAD_CONNECTIONS } from '../connections.ts';
import type { ListThreadInput, ListThreadMessage } from './list-protocol.ts';
import type { UserBatch } from './user-batch.ts';
import { UserLists } from './user-lists.ts';

const { config, ...order } = workerData as ListThreadInput;
const port = parentPort!;
const tell = (message: ListThreadMessage, transfer: ArrayBuffer[] = []): void => port.postMessage(message, transfer);

const opening = open();
let last: Promise<void> = opening.then(({ memoryBytes, historyLimit }) =>
  tell({ kind: 'ready', memoryBytes, historyLimit }),
);
last.catch(tellError);
port.on('message', (batch: UserBatch) => {
  last = last.then(() => respond(batch));
  last.catch(tellError);
});

async function open(): Promise<UserLists> {
  const store = await openStore({ ...config, connections: LIST_THREAD_CONNECTIONS });
  return UserLists.open({ store, blobs: openBlobStore(config), runtime: systemRuntime }, order);
}

async function respond(batch: UserBatch): Promise<void> {
  const lists = await (await opening).linesOf(batch);
  tell({ kind: 'made', lists }, [lists.bytes.buffer, ...(lists.rows === null ? [] : [lists.rows.bytes.buffer])]);
}

function tellError(error: unknown): void {
  if (error instanceof JobFailure) tell({ kind: 'failure', code: error.code, message: error.message });
  else {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    tell({ kind: 'error', message, stack });
  }
}
