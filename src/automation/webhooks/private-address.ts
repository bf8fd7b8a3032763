// Addresses that deliveries must not reach: those of the service's own machine and network. Otherwise an account could make the
// service call what only its operator may (cloud metadata, databases, admin pages).
import { BlockList, isIP, isIPv6 } from 'node:net';
import { isLocalName, PRIVATE_ADDRESS } from '../../domain/webhook.ts';

const IPV4 = [
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24',
  '192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
];
/** Local, documentation, multicast, and those that carry an IPv4 address inside. */
const IPV6 = '::/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 fc00::/7 fe80::/10 ff00::/8';

const refused = new BlockList();
for (const [networks, family] of [
  [IPV4.join(' '), 'ipv4'],
  [IPV6, 'ipv6'],
] as const) {
  for (const network of networks.split(' ')) {
    const [address, prefix] = network.split('/');
    refused.addSubnet(address, Number(prefix), family);
  }
}

export function isPrivateAddress(address: string): boolean {
  // BlockList itself looks into ::ffff:a.b.c.d.
  return refused.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

/** The host of a URL if it is a private address, by number or as localhost; null: it is a public one, or a name to look up. */
export function privateHostOf(url: string): string | null {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  return isLocalName(host) || (isIP(host) !== 0 && isPrivateAddress(host)) ? host : null;
}

/** Names the host that the client gave: the address found would tell about the network. */
export function privateAddress(host: string): Error {
  return new Error(`${host} ${PRIVATE_ADDRESS}.`);
}
