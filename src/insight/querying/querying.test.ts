import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { ListQuery } from '../../domain/insight-request.ts';
import { TextFile } from '../../results/files/text-file.ts';
import type { ResultHead } from '../result-head.ts';
import type { UsageBlock } from '../usage/usage-block.ts';
import { UsagePairs } from '../usage/usage-pairs.ts';
import { DistributionCollector, distributionOf } from './collect-distribution.ts';
import { ListCollector, ListMatches } from './collect-list.ts';
import { summarizeUsage } from './summarize-usage.ts';
import { type DistributionResult, distributionMessage, distributionWriters } from './write-distribution.ts';
import { type ListResult, listMessage, listWriters } from './write-list.ts';

let folder: string;
let files = 0;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-querying-'));
});
after(() => rm(folder, { recursive: true }));

const HOSTILE_IDS = ['plain', 'comma,quote"', 'two\nlines', '=SUM(A1)', 'naïve 👍', ' padded '];
const userIds = { length: HOSTILE_IDS.length, at: (user: number) => HOSTILE_IDS[user] };
const head: ResultHead = {
  job_id: 'job_1',
  project_id: 'prj_1',
  model_id: 'mdl_1',
  created_ts: 1,
  total_users: 6,
  population_users: 1,
};
/** usage of two pairs by the six users */
const BLOCK: UsageBlock = {
  first: 0,
  count: 6,
  usages: Float32Array.of(0.5, 0.1, 0.25, 0.2, 0.75, 0.3, 0, 0.4, 0.5, 0.5, 0.1, 0.6),
  basis: Uint8Array.of(0, 0, 0, 2, 1, 0),
};
const calibration = { method: 'none', users: 0 };

async function text(write: (file: TextFile) => Promise<void>): Promise<string> {
  const path = join(folder, `file-${files++}`);
  const file = await TextFile.create(path);
  await write(file);
  await file.close();
  return readFile(path, 'utf8');
}

async function scratch(): Promise<string> {
  return mkdtemp(join(folder, 'scratch-'));
}

async function listResult(
  queries: ListQuery[],
  notes: (string | null)[] = queries.map(() => null),
): Promise<ListResult & { close(): Promise<void> }> {
  const pairs = new UsagePairs();
  pairs.numberOf('genre', 'Drama');
  pairs.numberOf('new', true);
  const collector = await ListCollector.create(queries, pairs, await scratch());
  await collector.add(BLOCK, 2);
  const calibrations = queries.map(({ conditions }) => conditions.map(() => null));
  return {
    head,
    queries,
    matches: new ListMatches(collector.spills),
    close: () => collector.close(),
    userIds,
    notes,
    calibration,
    calibrations,
  };
}

const drama = (lower: number | null, upper: number | null) => ({
  attribute: 'genre',
  value: 'Drama',
  lower_bound: lower,
  upper_bound: upper,
});
const isNew = (lower: number | null, upper: number | null) => ({
  attribute: 'new',
  value: true,
  lower_bound: lower,
  upper_bound: upper,
});

test('a list has the users within the bounds, the bounds included, highest usage first', async () => {
  const result = await listResult([
    { conditions: [drama(0.25, 0.5)] },
    { conditions: [drama(null, 0.5), isNew(0.2, null)] },
  ]);
  const parsed = JSON.parse(await text(listWriters(result).json));
  assert.deepEqual(
    parsed.queries.map((query: { users: { user_id: string; usage: number }[] }) =>
      query.users.map(({ user_id, usage }) => [user_id, usage]),
    ),
    [
      [
        ['plain', 0.5],
        ['naïve 👍', 0.5],
        ['comma,quote"', 0.25],
      ],
      [
        ['naïve 👍', 0.5],
        ['comma,quote"', 0.25],
        [' padded ', 0.1],
        ['=SUM(A1)', 0],
      ],
    ],
  );
  assert.deepEqual(parsed.queries[0].query, { conditions: [drama(0.25, 0.5)] });
  assert.equal(parsed.queries[0].count, 3);
  assert.deepEqual(parsed.queries[1].users[0].usages, [0.5, 0.5]);
  assert.equal(parsed.queries[1].users[0].basis, 'attributes');
  assert.equal(parsed.queries[1].users[3].basis, 'popularity');
  assert.equal(listMessage(result), '2 queries found 3 and 4 of 6 users.');
  await result.close();
});

test('the message of many queries says of which the counts are', async () => {
  const most = await listResult(Array.from({ length: 5 }, () => ({ conditions: [drama(0.25, 0.5)] })));
  assert.equal(listMessage(most), '5 queries found 3, 3, 3, 3 and 3 of 6 users.');
  await most.close();
  const more = await listResult(Array.from({ length: 6 }, () => ({ conditions: [drama(0.25, 0.5)] })));
  assert.equal(listMessage(more), 'The first 5 of 6 queries found 3, 3, 3, 3 and 3 of 6 users.');
  await more.close();
});

test('a usage taken from a result is a bound that includes its user', async () => {
  const all = await listResult([{ conditions: [isNew(null, null)] }]);
  const { users } = JSON.parse(await text(listWriters(all).json)).queries[0];
  await all.close();
  assert.equal(users.length, 6);
  const usages: number[] = users.map(({ usage }: { usage: number }) => usage);
  const result = await listResult(
    usages.flatMap((usage) => [{ conditions: [isNew(usage, null)] }, { conditions: [isNew(null, usage)] }]),
  );
  assert.deepEqual(
    usages.map((_, index) => [result.matches.count(2 * index), result.matches.count(2 * index + 1)]),
    usages.map((_, index) => [index + 1, 6 - index]),
  );
  await result.close();
});

test('the CSV of a list gives back every id, with an apostrophe before what a spreadsheet would run', async () => {
  const result = await listResult([{ conditions: [drama(0, 1)] }]);
  const lines = parseCsv(await text(listWriters(result).csv));
  assert.deepEqual(lines[0], ['query', 'user_id', 'basis', 'usage']);
  assert.deepEqual(
    new Set(lines.slice(1).map((line) => line[1])),
    new Set(HOSTILE_IDS.map((id) => id.replace(/^=/, "'="))),
  );
  assert.deepEqual(lines[1], ['1', 'two\nlines', 'history', '0.75']);
  await result.close();
});

test('a query for what no item has says so next to the users within its bounds', async () => {
  const result = await listResult([{ conditions: [drama(null, 0.1)] }], ['No item has genre = Drama.']);
  const parsed = JSON.parse(await text(listWriters(result).json));
  assert.deepEqual(
    parsed.queries[0].users.map(({ user_id }: { user_id: string }) => user_id),
    [' padded ', '=SUM(A1)'],
  );
  assert.deepEqual([parsed.queries[0].count, parsed.queries[0].note], [2, 'No item has genre = Drama.']);
  assert.equal(parsed.message, '2 of 6 users meet the conditions. No item has genre = Drama.');
  assert.match(await text(listWriters(result).svg), /No item has genre = Drama\./);
  assert.equal(parseCsv(await text(listWriters(result).csv)).length, 3);
  await result.close();
});

test('bins cover zero to the largest usage and every user is in one', () => {
  const summary = summarizeUsage(Float32Array.of(0.4, 0, 0.1, 0.2, 0.3), 4);
  assert.deepEqual([...summary.counts], [1, 1, 1, 2]);
  assert.equal(summary.edges[0], 0);
  assert.equal(summary.edges[4], Math.fround(0.4));
  assert.ok(Math.abs(summary.mean - 0.2) < 1e-7);
  assert.equal(summary.median, Math.fround(0.2));
  assert.deepEqual([...summarizeUsage(Float32Array.of(0, 0), 3).counts], [2, 0, 0]);
  assert.deepEqual([...summarizeUsage(new Float32Array(0), 2).edges], [0, 0.5, 1]);
  assert.equal(summarizeUsage(Float32Array.of(0.1, 0.3), 1).counts[0], 2);
});

test('a distribution comes as JSON, CSV and SVG with the same counts', async () => {
  const queries = [
    { attribute: 'genre', value: 'Drama', bins: 3 },
    { attribute: 'genre', value: 'None', bins: 5 },
  ];
  const collector = await DistributionCollector.create([queries[0]], new UsagePairs(), await scratch());
  await collector.add(BLOCK, 2);
  const unused = summarizeUsage(new Float32Array(6), 5);
  const result: DistributionResult = {
    head,
    queries,
    summaries: [await distributionOf(collector.spills[0], queries[0]), unused],
    notes: [null, 'No item has genre = None.'],
    calibration,
    calibrations: [null, null],
  };
  const parsed = JSON.parse(await text(distributionWriters(result).json));
  assert.deepEqual(parsed.queries[0].counts, [2, 1, 3]);
  assert.deepEqual(parsed.queries[0].edges, [0, 0.25, 0.5, 0.75]);
  assert.equal(parsed.queries[0].total_users, 6);
  const { edges, counts, mean, median, max, total_users } = parsed.queries[1];
  assert.deepEqual({ edges, counts }, { edges: [0, 0.2, 0.4, 0.6, 0.8, 1], counts: [6, 0, 0, 0, 0] });
  assert.deepEqual([mean, median, max, total_users], [0, 0, 0, 6]);
  const csv = parseCsv(await text(distributionWriters(result).csv));
  assert.deepEqual(csv[1], ['1', 'genre', 'Drama', '1', '0', '0.25', '2']);
  assert.equal(csv.length, 9);
  assert.match(await text(distributionWriters(result).svg), /Usage of genre = Drama/);
  assert.equal(
    distributionMessage(result),
    'Mean affinity over 6 users: genre = Drama 35% (median 37.5%). Query 2: No item has genre = None.',
  );
  await collector.close();
});

/** Reads CSV strictly by RFC 4180. */
function parseCsv(csv: string): string[][] {
  const lines: string[][] = [[]];
  for (const [, quoted, bare, separator] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    lines[lines.length - 1].push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    if (separator === '\r\n') lines.push([]);
  }
  return lines.slice(0, -1);
}
