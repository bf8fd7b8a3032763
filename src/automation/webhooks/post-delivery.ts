// Makes one attempt to deliver: a POST that reads only the status, follows no redirect and has a time limit.
import { VERSION } from '../../version.ts';
import { privateAddress, privateHostOf } from './private-address.ts';
import { publicLookUp } from './public-look-up.ts';

// An import would load Node's fetch too, and with it take every start of the service 50 ms.
const { request: requestPlain } = process.getBuiltinModule('node:http');
const { request } = process.getBuiltinModule('node:https');

export interface DeliveryRequest {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly allowsPrivate: boolean;
  /** ends it early when the service stops */
  readonly signal: AbortSignal;
  /** used by tests */
  readonly dnsServers?: readonly string[];
}

const TIMEOUT_MS = 10_000;

/** Resolves with the status of the response. Rejects when there was none, with what to say about it. */
export function postDelivery(delivery: DeliveryRequest): Promise<number> {
  const { url, body, headers, allowsPrivate, dnsServers } = delivery;
  const { protocol } = new URL(url);
  // Node does not look up a literal address, so it is checked here.
  const host = allowsPrivate ? null : privateHostOf(url);
  if (host !== null) return Promise.reject(privateAddress(host));
  const signal = AbortSignal.any([delivery.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  return new Promise((resolve, reject) => {
    const call = (protocol === 'http:' ? requestPlain : request)(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': `kindred/${VERSION}`,
        ...headers,
      },
      agent: false,
      maxHeaderSize: 16_384,
      signal,
      ...(allowsPrivate ? {} : { lookup: publicLookUp({ signal, servers: dnsServers }) }),
    });
    call.on('response', (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    // 101 Switching Protocols is no response to Node.
    call.on('upgrade', (response, socket) => {
      resolve(response.statusCode ?? 0);
      socket.destroy();
    });
    call.on('error', (error) => {
      reject(error.name === 'AbortError' ? new Error(`No response within ${TIMEOUT_MS / 1000} seconds.`) : error);
    });
    call.on('close', () => reject(new Error('The connection was closed without a response.')));
    call.end(body);
  });
}
