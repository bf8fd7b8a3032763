// Runs the reads that look at many rows on a thread of its own, so that the HTTP thread never waits for them.
import { parentPort, workerData } from 'node:worker_threads';
import { openReaderConnection } from './connection.ts';
import { EventReader } from './event-reader.ts';
import type { ReaderConnection, ReadReply, ReadRequest } from './reader.ts';

const port = parentPort!;
const { file, cacheKib } = workerData as ReaderConnection;
const db = openReaderConnection(file, cacheKib);
const events = new EventReader((sql) => db.prepare(sql));

function run({ method, args }: ReadRequest): unknown {
  if (method === 'all') {
    const [sql, params] = args as [string, string[]];
    return db.prepare(sql).all(...params);
  }
  return (events[method] as (...args: unknown[]) => unknown)(...args);
}

port.on('message', (request: ReadRequest) => {
  let reply: ReadReply;
  try {
    reply = { requestNo: request.requestNo, result: run(request) };
  } catch (error) {
    const { message, errcode } = error as Error & { errcode?: number };
    reply = { requestNo: request.requestNo, error: { message, errcode } };
  }
  port.postMessage(reply);
});
