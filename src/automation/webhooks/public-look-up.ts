// The addresses of a receiver's name, from the network's DNS servers. The system's own look-up (getaddrinfo) holds one of the few
// threads of the process until it ends, half a minute for a name whose server does not respond, and all look-ups of the process
// would wait behind some names of one account. Names of /etc/hosts are not found here: they are of private addresses.
//
// The addresses that were checked are those that are connected to: a name that changes in between gains nothing.
import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { isPrivateAddress, privateAddress } from './private-address.ts';

/** How long a server may take to respond. The second try may take twice as long. */
const TRY_MS = 1500;
const TRIES = 2;

export interface PublicLookUpOptions {
  /** Ends the lookup. */
  readonly signal: AbortSignal;
  /** used by tests; default: the system's servers */
  readonly servers?: readonly string[] | undefined;
}

/** Fails for a name with a private address. */
export function publicLookUp(options: PublicLookUpOptions): LookupFunction {
  return (hostname, { all }, callback) => {
    publicAddresses(hostname, options).then(
      (addresses) => (all ? callback(null, addresses) : callback(null, addresses[0].address, addresses[0].family)),
      (error) => callback(error, '', 4),
    );
  };
}

export async function publicAddresses(
  hostname: string,
  { signal, servers }: PublicLookUpOptions,
): Promise<LookupAddress[]> {
  const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  const cancel = (): void => resolver.cancel();
  signal.addEventListener('abort', cancel);
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  signal.removeEventListener('abort', cancel);
  const addresses = [
    ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
    ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
  ];
  if (addresses.some(({ address }) => isPrivateAddress(address))) throw privateAddress(hostname);
  if (addresses.length === 0 && v4.status === 'rejected') {
    throw new Error(`Cannot find an address of ${hostname} (${v4.reason.code}).`, { cause: v4.reason });
  }
  return addresses;
}
