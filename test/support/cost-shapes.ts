// Requests that are made to cost as much as they can: every shape of JSON that is expensive to parse or to check, every shape of
// filter and of attributes, each as large as its call takes. For tests that hold what a request may cost the service.
import { zstdCompressSync } from 'node:zlib';

const KIB = 1024;
const MIB = KIB * KIB;

export interface CostlyRequest {
  name: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  /** JSON text, or the query of a GET. */
  body: string;
}

export interface Target {
  user_dataset_id: string;
  item_dataset_id: string;
  event_dataset_id: string;
  project_id: string;
}

/** Sent as large as an upsert may be; the others are smaller, as making them takes a test long. */
const LARGEST_SHAPES = new Set(['nested arrays', 'empty objects', 'one text', 'one text of escapes']);

/** Texts of JSON values with about this many bytes. */
export const VALUE_SHAPES: Record<string, (bytes: number) => string> = {
  'nested arrays': (bytes) => '['.repeat(bytes),
  'nested objects': (bytes) => '{"a":'.repeat(bytes / 5),
  'empty objects': (bytes) => filled('{}', bytes),
  'objects with names of their own': (bytes) => filled((n) => `{"k${n}":1}`, bytes),
  'one object of many names': (bytes) => `{${joined((n) => `"k${n}":${n}`, bytes)}}`,
  'one object of numbers as names': (bytes) => `{${joined((n) => `"${n * 7919}":0`, bytes)}}`,
  'small numbers': (bytes) => filled('1', bytes),
  'numbers that grow when printed': (bytes) => filled('1e20', bytes),
  'numbers with many digits': (bytes) => filled(`0.${'123456789'.repeat(40)}`, bytes),
  'short texts': (bytes) => filled('"a"', bytes),
  'one text': (bytes) => `"${'x'.repeat(bytes - 2)}"`,
  'one text of escapes': (bytes) => `"${'\\u00e9'.repeat(bytes / 6)}"`,
  'one text of quotes': (bytes) => `"${'\\"'.repeat(bytes / 2 - 1)}"`,
  'one text of surrogates': (bytes) => `"${'\\ud83d\\ude00'.repeat(bytes / 12)}"`,
  'a long name': (bytes) => `{"${'n'.repeat(bytes - 8)}":1}`,
  blanks: (bytes) => ' '.repeat(bytes),
  'a text that does not end': (bytes) => `"${'x'.repeat(bytes - 1)}`,
};

export const FILTER_SHAPES: Record<string, string> = {
  'many comparisons of texts': joinedBy(' OR ', (n) => `note < '${n}'`, 100),
  'many searches': joinedBy(' OR ', (n) => `note CONTAINS '${'ab'.repeat(n % 7)}x'`, 100),
  'one search that almost matches': `note CONTAINS '${'a'.repeat(1500)}b'`,
  'a long list': `item_id IN (${joinedBy(',', (n) => `'i${n}'`, 500)})`,
  'many negations': `${'NOT ('.repeat(15)}price > 1${')'.repeat(15)}`,
  'unknown attributes': joinedBy(' OR ', (n) => `unknown${n} = ${n}`, 100),
};

/** Valid, as large as they may be: the store has work with them. */
export function costlyValidRequests(target: Target): CostlyRequest[] {
  return [...validUpserts(target), ...validRecommendations(target), ...lists(target), ...pages()];
}

/** Every shape for the calls of a project, most of them not valid. */
export function costlyShapes(target: Target): CostlyRequest[] {
  return [...shapedUpserts(target), ...shapedSmallCalls(target), ...shapedRecommendations(target)];
}

function upsertsTo({ item_dataset_id, event_dataset_id }: Target) {
  return (kind: 'items' | 'events', name: string, records: string): CostlyRequest => {
    const dataset = kind === 'items' ? { item_dataset_id } : { event_dataset_id };
    const body = `${JSON.stringify(dataset).slice(0, -1)},"${kind}":${records}}`;
    return { name: `${kind}: ${name}`, method: 'POST', path: `/upsert-dataset-${kind}`, body };
  };
}

function shapedUpserts(target: Target): CostlyRequest[] {
  const upsert = upsertsTo(target);
  return Object.entries(VALUE_SHAPES).map(([name, shape]) =>
    upsert('items', name, shape(LARGEST_SHAPES.has(name) ? 63 * MIB : 8 * MIB)),
  );
}

function validUpserts(target: Target): CostlyRequest[] {
  const upsert = upsertsTo(target);
  const event = (n: number) =>
    `{"event_id":"e${n}","user_id":"u${n % 60}","item_id":"i${n % 50}","ts":${1.7e12 + n},"event_type":"buy"`;
  const thousand = (record: (n: number) => string) => `[${joinedBy(',', record, 1000)}]`;
  return [
    ...['objects with names of their own', 'one object of many names', 'small numbers', 'one text of escapes'].map(
      (name) =>
        upsert('items', `attributes: ${name}`, `[{"item_id":"i","attributes":{"a":${VALUE_SHAPES[name](900 * KIB)}}}]`),
    ),
    upsert(
      'items',
      'attributes: as many objects as may be',
      `[{"item_id":"i","attributes":{"a":[${joinedBy(',', (n) => `{"k${n}${'x'.repeat(70)}":1}`, 10_000)}]}}]`,
    ),
    upsert(
      'events',
      'a thousand as large as may be',
      thousand((n) => `${event(n)},"attributes":{"t":"${'y'.repeat(20_000)}"}}`),
    ),
    upsert(
      'events',
      'a thousand of many attributes',
      thousand((n) => `${event(n)},"attributes":${VALUE_SHAPES['one object of many names'](9000)}}`),
    ),
    upsert(
      'events',
      'a thousand of escapes',
      thousand((n) => `${event(n)},"attributes":{"t":"${'\\u00e9'.repeat(9000)}"}}`),
    ),
    upsert(
      'items',
      'sixty of a megabyte',
      `[${joinedBy(',', (n) => `{"item_id":"i${n % 50}","attributes":{"note":"${'ab'.repeat(500_000)}${n}"}}`, 60)}]`,
    ),
  ];
}

function shapedSmallCalls({ project_id, user_dataset_id }: Target): CostlyRequest[] {
  const calls = [
    {
      method: 'POST',
      path: '/create-algorithm',
      field: 'algorithm_parameters',
      rest: { project_id, name: 'a', algorithm_type: 'G1' },
    },
    { method: 'POST', path: '/create-item-dataset', field: 'attribute_schema', rest: { name: 'd' } },
    { method: 'PUT', path: '/update-user-dataset', field: 'attribute_schema', rest: { user_dataset_id } },
    {
      method: 'POST',
      path: '/submit-querying-job',
      field: 'queries',
      rest: { project_id, model_id: 'mdl_0', query_type: 'user_list' },
    },
    { method: 'DELETE', path: '/delete-dataset-users', field: 'user_ids', rest: { user_dataset_id }, bytes: 500 * KIB },
  ] as const;
  return calls.flatMap(({ method, path, field, rest, ...options }) =>
    Object.entries(VALUE_SHAPES).map(([name, shape]) => {
      const bytes = 'bytes' in options ? options.bytes : 63 * KIB;
      const head = JSON.stringify(rest).slice(0, -1);
      return { name, method, path, body: `${head},"${field}":${shape(bytes - head.length - 100)}}` };
    }),
  );
}

function recommendTo({ project_id }: Target) {
  return (name: string, fields: object | string): CostlyRequest => {
    const head = JSON.stringify({ user_id: 'u7', project_id, limit: 500 }).slice(0, -1);
    const rest = typeof fields === 'string' ? fields : JSON.stringify(fields).slice(1, -1);
    return { name: `recommend: ${name}`, method: 'POST', path: '/recommend-items-to-user', body: `${head},${rest}}` };
  };
}

function shapedRecommendations(target: Target): CostlyRequest[] {
  const recommend = recommendTo(target);
  return Object.entries(VALUE_SHAPES).flatMap(([name, shape]) =>
    ['attributes', 'context'].map((field) => recommend(`${field}: ${name}`, `"${field}":${shape(500 * KIB)}`)),
  );
}

function validRecommendations(target: Target): CostlyRequest[] {
  const recommend = recommendTo(target);
  return [
    ...Object.entries(FILTER_SHAPES).map(([name, filter_query]) => recommend(`filter: ${name}`, { filter_query })),
    recommend('large attributes', { attributes: ['note'] }),
    recommend('many attributes', { attributes: Array.from({ length: 100 }, (_, n) => `${n}`.padEnd(256, 'é')) }),
    recommend('explained', { explain: true, attributes: ['note', 'price'] }),
  ];
}

function lists({ item_dataset_id, event_dataset_id }: Target): CostlyRequest[] {
  const read = (path: string, query: Record<string, string>): CostlyRequest => ({
    name: `read: ${new URLSearchParams(query)}`,
    method: 'GET',
    path,
    body: `${new URLSearchParams(query)}`,
  });
  return [
    read('/list-dataset-records', { item_dataset_id, page_size: '1000' }),
    read('/list-dataset-records', { item_dataset_id, page_size: '1000', search: 'ab'.repeat(100) }),
    read('/list-dataset-records', { event_dataset_id, page_size: '1000' }),
    read('/list-item-datasets', {}),
    read('/get-attribute-statistics', { item_dataset_id }),
    read('/get-attribute-statistics', { event_dataset_id }),
    read('/get-event-statistics', { event_dataset_id, buckets: '500' }),
  ];
}

/** Without credentials, created on first use. */
function pages(): CostlyRequest[] {
  const names = ['/openapi.json', '/docs', '/docs/errors', '/metrics', '/readyz', '/console/'];
  return names.map((path) => ({ name: 'page', method: 'GET', path, body: '' }));
}

/** What is sent: compressed, as that is how a small request becomes a large one. */
export const compressed = (body: string): Uint8Array<ArrayBuffer> => new Uint8Array(zstdCompressSync(body));

function filled(value: string | ((n: number) => string), bytes: number): string {
  return `[${typeof value === 'string' ? `${`${value},`.repeat(bytes / (value.length + 1) - 1)}${value}` : joined(value, bytes)}]`;
}

function joined(part: (n: number) => string, bytes: number): string {
  const parts: string[] = [];
  for (let length = 0, n = 0; length < bytes - 40; n++) {
    const text = part(n);
    parts.push(text);
    length += text.length + 1;
  }
  return parts.join(',');
}

function joinedBy(separator: string, part: (n: number) => string, count: number): string {
  return Array.from({ length: count }, (_, n) => part(n)).join(separator);
}
