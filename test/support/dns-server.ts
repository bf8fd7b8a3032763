// A DNS server with the records that a test gives it, for names that exist nowhere.
import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';

const TYPES = { A: 1, CNAME: 5, AAAA: 28 } as const;
const NAME_ERROR = 3;
const IS_RESPONSE = 0x8180;
const HEADER_BYTES = 12;
const QUESTION_END_BYTES = 4;

/** By name: addresses, and `CNAME other.name` for those that have another name. `silent`: the server does not respond. */
export type DnsRecords = Readonly<Record<string, readonly string[] | 'silent'>>;

export interface DnsServer {
  readonly address: string;
  /** Names that it was asked for. */
  readonly asked: readonly string[];
  close(): void;
}

export async function startDnsServer(records: DnsRecords): Promise<DnsServer> {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = questionOf(query);
    asked.push(name);
    if (records[name] !== 'silent') socket.send(responseTo(query, { name, type, end }, records), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return { address: `127.0.0.1:${socket.address().port}`, asked, close: () => socket.close() };
}

interface Question {
  name: string;
  type: number;
  end: number;
}

function questionOf(query: Buffer): Question {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (; query[at] !== 0; at += query[at] + 1) labels.push(query.toString('latin1', at + 1, at + 1 + query[at]));
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 1 + QUESTION_END_BYTES };
}

function responseTo(query: Buffer, { name, type, end }: Question, records: DnsRecords): Buffer {
  const answers: Buffer[] = [];
  let owner = name;
  for (let values = records[name]; values !== undefined && values !== 'silent'; ) {
    const [alias] = values.filter((value) => value.startsWith('CNAME ')).map((value) => value.slice('CNAME '.length));
    if (alias !== undefined) answers.push(recordOf(owner, TYPES.CNAME, encodedName(alias)));
    for (const value of values.filter((each) => each !== `CNAME ${alias}`)) {
      const kind = isIPv6(value) ? TYPES.AAAA : TYPES.A;
      if (kind === type) answers.push(recordOf(owner, kind, addressBytes(value)));
    }
    if (alias === undefined) break;
    owner = alias;
    values = records[alias];
  }
  const header = Buffer.alloc(HEADER_BYTES);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(IS_RESPONSE + (records[name] === undefined ? NAME_ERROR : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(answers.length, 6);
  return Buffer.concat([header, query.subarray(HEADER_BYTES, end), ...answers]);
}

function recordOf(owner: string, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([encodedName(owner), fixed, data]);
}

function encodedName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

/** An IPv6 address must be written in full. */
function addressBytes(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split('.').map(Number));
  return Buffer.from(
    address
      .split(':')
      .map((part) => part.padStart(4, '0'))
      .join(''),
    'hex',
  );
}
