import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type DnsServer, startDnsServer } from '../../../test/support/dns-server.ts';
import { postDelivery } from './post-delivery.ts';
import { publicAddresses } from './public-look-up.ts';

const V6 = '2606:4700:0:0:0:0:0:1111';
let dns: DnsServer;

before(async () => {
  dns = await startDnsServer({
    'both.example': ['8.8.8.8', '8.8.4.4', V6],
    'six.example': [V6],
    'alias.example': ['CNAME both.example'],
    'inside.example': ['8.8.8.8', '10.1.2.3'],
    'inside-six.example': ['8.8.8.8', 'fd00:0:0:0:0:0:0:1'],
    'inside-alias.example': ['CNAME inside.example'],
    'none.example': [],
    'silent.example': 'silent',
  });
});
after(() => dns.close());

const never = new AbortController().signal;
const addressesOf = async (name: string) =>
  (await publicAddresses(name, { signal: never, servers: [dns.address] })).map(({ address }) => address);
const post = (url: string, signal = never) =>
  postDelivery({ url, body: '{}', headers: {}, allowsPrivate: false, signal, dnsServers: [dns.address] });

test('all addresses of a name are found, under an alias too', async () => {
  const both = ['8.8.8.8', '8.8.4.4', '2606:4700::1111'];
  assert.deepEqual(await addressesOf('both.example'), both);
  assert.deepEqual(await addressesOf('alias.example'), both);
  assert.deepEqual(await addressesOf('six.example'), ['2606:4700::1111']);
});

test('a name without an address is told', async () => {
  await assert.rejects(post('https://none.example/'), { message: 'Cannot find an address of none.example (ENODATA).' });
  await assert.rejects(post('https://gone.example/'), {
    message: 'Cannot find an address of gone.example (ENOTFOUND).',
  });
});

test('a name with a private address among others is not connected to, and the address is not told', async () => {
  for (const name of ['inside.example', 'inside-six.example', 'inside-alias.example']) {
    const told = (error: Error) => error.message.startsWith(`${name} is a private address.`);
    await assert.rejects(post(`https://${name}/`), told);
  }
});

test('names whose server does not respond hold no thread of the process', async () => {
  const stop = new AbortController();
  const attempts = Array.from({ length: 8 }, () => post('https://silent.example/', stop.signal));
  const ended = Promise.allSettled(attempts);
  while (!dns.asked.includes('silent.example')) await new Promise(setImmediate);
  assert.ok(!process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap'));
  await assert.rejects(post('https://none.example/'), /ENODATA/);
  stop.abort();
  for (const { status } of await ended) assert.equal(status, 'rejected');
});

test('a look-up ends with its attempt', async () => {
  const stop = new AbortController();
  const looking = publicAddresses('silent.example', { signal: stop.signal, servers: [dns.address] });
  setImmediate(() => stop.abort());
  await assert.rejects(looking, /ECANCELLED/);
});
