// Ways to send the same value: with which credentials, headers, encoding and type of body. Most of them are wrong, and made to cost much
// before the service knows who calls.
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { queryOf } from './api-operations.ts';

export interface Framed {
  headers: Record<string, string>;
  query: string;
  body: Uint8Array | null;
}

export interface Credentials {
  token: string;
  apiKey: string;
  browserKey: string;
  /** Of a person who is signed in to the console. */
  cookie: string;
}

interface FrameInput {
  text: string;
  takesBody: boolean;
  credentials: Credentials;
}

/** Node refuses headers beyond 16 KiB before any code of the service sees them. */
const HEADER_BYTES = 12_000;
/** Without credentials a body may have 64 KiB. */
const FORM_BYTES = 60_000;
/** Where the browser key's calls come from. */
export const PAGE = 'https://shop.example';

const JSON_TYPE = { 'content-type': 'application/json' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };

const own = ({ credentials: { token, apiKey } }: FrameInput) => ({ authorization: `Bearer ${token}`, apikey: apiKey });
const bearer = (token: string) => ({ authorization: `Bearer ${token}`, apikey: 'kk_unknown' });

const plain = (input: FrameInput, headers: Record<string, string>): Framed =>
  input.takesBody
    ? { headers: { ...headers, ...JSON_TYPE }, query: '', body: Buffer.from(input.text) }
    : { headers, query: asQuery(input.text), body: null };

const formed = (form: string, headers: Record<string, string> = {}): Framed => ({
  headers: { ...headers, ...FORM_TYPE },
  query: '',
  body: Buffer.from(form),
});

const encoded = (encode: (text: string) => Uint8Array, name: string) => (input: FrameInput) => {
  const framed = plain(input, own(input));
  return input.takesBody
    ? { ...framed, headers: { ...framed.headers, 'content-encoding': name }, body: encode(input.text) }
    : framed;
};

const repeated = (part: (n: number) => string, bytes = HEADER_BYTES): string => {
  let text = '';
  for (let n = 0; text.length < bytes; n++) text += part(n);
  return text;
};

const base64 = (text: string): string => Buffer.from(text).toString('base64url');
const notSigned = (header: object, payload: object): string =>
  `${base64(JSON.stringify(header))}.${base64(JSON.stringify(payload))}.${base64('x'.repeat(32))}`;

/** The first is how most clients call. */
export const FRAMES: Record<string, (input: FrameInput) => Framed> = {
  zstd: encoded((text) => zstdCompressSync(text), 'zstd'),
  gzip: encoded((text) => gzipSync(text), 'gzip'),
  plain: (input) => plain(input, own(input)),
  'body as text': (input) => ({
    ...plain(input, own(input)),
    headers: { ...own(input), 'content-type': 'text/plain' },
    body: Buffer.from(input.text),
  }),
  'signed in': (input) => plain(input, { cookie: input.credentials.cookie, 'x-kindred-console': '1' }),
  'page of a shop': (input) => {
    const key = `key=${input.credentials.browserKey}`;
    const framed = plain(input, { origin: PAGE });
    return { ...framed, query: framed.query === '' ? key : `${framed.query}&${key}` };
  },
  'no credentials': (input) => plain(input, {}),
  'asks for brotli': (input) => plain(input, { 'accept-encoding': 'br' }),
  'asks for gzip': (input) => plain(input, { ...own(input), 'accept-encoding': 'gzip' }),
  'long token': (input) => plain(input, bearer('x'.repeat(HEADER_BYTES))),
  'token of dots': (input) => plain(input, bearer('.'.repeat(4000))),
  'token of blanks': (input) => plain(input, bearer(`${' '.repeat(HEADER_BYTES)}x y`)),
  'token with a wrong signature': (input) =>
    plain(input, bearer(notSigned({ alg: 'HS256' }, { scope: 'x '.repeat(1300), sub: 'x' }))),
  'token that is encrypted': (input) =>
    plain(input, bearer(`${notSigned({ alg: 'PBES2-HS512+A256KW', enc: 'A256GCM', p2c: 1e9, p2s: 'x' }, {})}.x.x`)),
  'token of nested arrays': (input) =>
    plain(input, bearer(`${base64(`{"alg":${'['.repeat(2800)}`)}.${base64('{}')}.x`)),
  'long key': (input) => plain(input, { ...own(input), apikey: 'x'.repeat(4000) }),
  'long name and secret': (input) => plain(input, { authorization: `Basic ${base64('x%41:'.repeat(1700))}` }),
  'name and secret of escapes': (input) =>
    plain(input, { authorization: `Basic ${base64(`${'%C3%A9'.repeat(1400)}:x`)}` }),
  'many headers': (input) => plain(input, { ...own(input), ...Object.fromEntries(manyNames('x')) }),
  'many cookies': (input) => plain(input, { 'x-kindred-console': '1', cookie: repeated((n) => `c${n}=;`) }),
  'long cookie': (input) => plain(input, { 'x-kindred-console': '1', cookie: `kindred-session=${'x'.repeat(4096)}` }),
  'sign-in cookie': (input) => plain(input, { cookie: `kindred-sign-in=${base64('x'.repeat(3000))}` }),
  'long lists in headers': (input) =>
    plain(input, {
      ...own(input),
      'accept-encoding': repeated((n) => `gzip;q=0.${n},`, 3000),
      accept: repeated((n) => `a/b${n};q=0.1,`, 3000),
      'if-none-match': repeated((n) => `W/"${n}",`, 3000),
      range: `bytes=${repeated((n) => `${n}-${n},`, 2000)}0-0`,
    }),
  'long type of a body': (input) => {
    const framed = plain(input, own(input));
    return { ...framed, headers: { ...framed.headers, 'content-type': `application/json;${'a=";'.repeat(2500)}` } };
  },
  'long id and origin': (input) =>
    plain(input, { 'x-request-id': 'x'.repeat(4000), origin: `https://${'a.'.repeat(2000)}`, host: 'x'.repeat(2000) }),
  'query of many names': (input) => ({ ...plain(input, own(input)), query: repeated((n) => `a${n}=&`) }),
  'query of escapes': (input) => ({ ...plain(input, own(input)), query: `search=${'%F0%9F%92%A5'.repeat(1000)}` }),
  'query of one name': (input) => ({ ...plain(input, own(input)), query: repeated(() => 'key=x&') }),
  form: (input) => formed(new URLSearchParams(queryOf(parsed(input.text))).toString().slice(0, FORM_BYTES)),
  'form of many names': () => formed(repeated((n) => `a${n}=&`, FORM_BYTES)),
  'form of escapes': () => formed(`client_secret=${'%C3%A9'.repeat(FORM_BYTES / 6)}`),
  'form of a grant': () =>
    formed(`grant_type=client_credentials&client_id=x&client_secret=${'x'.repeat(9000)}&scope=${'%20/x'.repeat(1000)}`),
  'zipped form': () => {
    const framed = formed('', { 'content-encoding': 'zstd' });
    return { ...framed, body: zstdCompressSync(repeated((n) => `a${n}=&`, 2_000_000)) };
  },
  'body of a read': (input) => ({
    ...plain(input, own(input)),
    headers: { ...own(input), ...JSON_TYPE },
    body: Buffer.alloc(200_000, ' '),
  }),
};

export const FRAME_NAMES: readonly string[] = Object.keys(FRAMES);

function manyNames(letter: string): [string, string][] {
  return Array.from({ length: 800 }, (_, n) => [`${letter}${n}`, '1']);
}

/** Longer ones are refused before they are read. */
const asQuery = (text: string): string => new URLSearchParams(queryOf(parsed(text))).toString().slice(0, HEADER_BYTES);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
