// One attempt to deliver: a POST that reads no more than the status, follows no redirect and ends in time.
import { lookup as lookUp } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { PRIVATE_ADDRESS } from '../../domain/webhook.ts';
import { VERSION } from '../../version.ts';
import { isPrivateAddress, privateHostOf } from './private-address.ts';

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
}

const TIMEOUT_MS = 10_000;

/** Resolves with the status of the response. Rejects when there was none, with what to say about it. */
export function postDelivery({ url, body, headers, allowsPrivate, signal }: DeliveryRequest): Promise<number> {
  const { protocol } = new URL(url);
  // Node does not look up a literal address, so it is checked here.
  const host = allowsPrivate ? null : privateHostOf(url);
  if (host !== null) return Promise.reject(privateAddress(host));
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
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      ...(allowsPrivate ? {} : { lookup: lookUpPublic }),
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

/** The address that was checked is the one that is connected to: a name that changes in between gains nothing. */
const lookUpPublic: LookupFunction = (hostname, options, callback) => {
  lookUp(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '', 4);
    const found = addresses.find(({ address }) => isPrivateAddress(address));
    if (found) return callback(privateAddress(found.address), '', 4);
    if (options.all) return callback(null, addresses);
    callback(null, addresses[0].address, addresses[0].family);
  });
};

function privateAddress(address: string): Error {
  return new Error(`${address} ${PRIVATE_ADDRESS}.`);
}
