// Many clients that open connections and hold them: silent, with headers that never end, with bodies that trickle. Calls of others
// succeed meanwhile, and the service ends all that have no credentials. src/http/connections.test.ts holds the limits one by one.
import assert from 'node:assert/strict';
import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { CostService } from './cost-service.ts';

const CLIENTS_EACH = 200;
const CALLS = 100;
const TRICKLE_MS = 500;
/** Held in all by a client, of everything that is counted for it. */
const MAX_KB_EACH = 256;

interface SlowClient {
  socket: Socket;
  isEnded: boolean;
  isKnown: boolean;
}

export async function holdSlowClients({ service, meter, credentials, ids }: CostService): Promise<string> {
  const address = new URL(service.baseUrl);
  const { token, apiKey } = credentials;
  const known = `authorization: Bearer ${token}\r\napikey: ${apiKey}\r\ncontent-type: application/json\r\n`;
  const ways = [
    { head: '', piece: '', isKnown: false },
    { head: 'POST /oauth2/token HTTP/1.1\r\nhost: x\r\n', piece: 'x-a: b\r\n', isKnown: false },
    {
      head: 'POST /oauth2/token HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 16000\r\n\r\n',
      piece: ' ',
      isKnown: false,
    },
    {
      head: `POST /upsert-dataset-items HTTP/1.1\r\nhost: x\r\n${known}content-length: 60000000\r\n\r\n`,
      piece: ' '.repeat(1000),
      isKnown: true,
    },
  ];
  const clients: SlowClient[] = [];
  const trickles: NodeJS.Timeout[] = [];
  const begin = ({ head, piece, isKnown }: (typeof ways)[number]): void => {
    const socket = connect(Number(address.port), address.hostname);
    const client: SlowClient = { socket, isEnded: false, isKnown };
    socket
      .on('error', () => {})
      .on('close', () => {
        client.isEnded = true;
      });
    socket.resume();
    if (head !== '') socket.write(head);
    if (piece !== '') trickles.push(setInterval(() => socket.writable && socket.write(piece), TRICKLE_MS));
    clients.push(client);
  };

  const [project_id] = ids.get('project_id')!;
  /** Each on a connection of its own. */
  const callOfOthers = async (): Promise<void> => {
    const [list, ready] = await Promise.all([
      service.call(
        'POST',
        '/recommend-items-to-user',
        { project_id, user_id: 'u7' },
        { headers: { connection: 'close' } },
      ),
      statusOf(new URL('/readyz', address)),
    ]);
    assert.deepEqual([list.status, ready], [200, 200]);
  };

  try {
    const { cpuMs, memoryMb } = await meter.costOf(async () => {
      for (const way of ways) for (let n = 0; n < CLIENTS_EACH; n++) begin(way);
      for (let n = 0; n < CALLS; n++) {
        await callOfOthers();
        await delay(20);
      }
    });
    const kbEach = (memoryMb * 1024) / clients.length;
    assert.ok(kbEach <= MAX_KB_EACH, `each slow client holds ${kbEach.toFixed(0)} KB`);
    const startedMs = performance.now();
    while (clients.some(({ isKnown, isEnded }) => !isKnown && !isEnded)) {
      await callOfOthers();
      await delay(200);
    }
    const seconds = (performance.now() - startedMs) / 1000;
    return `${clients.length} slow clients: all calls of others succeeded, ${cpuMs.toFixed(0)} ms of processor time and ${kbEach.toFixed(0)} KB each with ${CALLS} calls of others; ${seconds.toFixed(0)} s later all without credentials were disconnected`;
  } finally {
    for (const trickle of trickles) clearInterval(trickle);
    for (const { socket } of clients) socket.destroy();
  }
}

function statusOf(url: URL): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => resolve(response.resume().statusCode)).on('error', reject);
  });
}
