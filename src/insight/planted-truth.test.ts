// Querying and clustering end to end, from a real store to the files, on data where the truth is known.
import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { adjustedRandIndex } from '../../test/support/adjusted-rand-index.ts';
import { genreOf, groupOfUser, plantedProject } from '../../test/support/planted-project.ts';
import { ResultFile } from '../http/schemas/result-files.ts';
import { compileSchema } from '../http/validation.ts';
import { asOnePiece } from '../pieces/one-piece.ts';
import { INSIGHT_FORMATS, type ResultFormat, resultKey } from '../results/result-link.ts';
import { SAMPLE_USERS } from './clustering/sampled-groups.ts';
import { clusteringSteps } from './clustering-steps.ts';
import type { InsightRun } from './insight-run.ts';
import { queryingSteps } from './querying-steps.ts';

const answer = (run: InsightRun) => asOnePiece(run, queryingSteps);
const findGroups = (run: InsightRun) => asOnePiece(run, clusteringSteps(SAMPLE_USERS));

const wrongIn = compileSchema(ResultFile);
const GROUPS = 4;
const USERS = 240;
let planted: Awaited<ReturnType<typeof plantedProject>>;

before(async () => {
  planted = await plantedProject({
    groups: GROUPS,
    usersPerGroup: USERS / GROUPS,
    itemsPerGroup: 20,
    eventsPerUser: 12,
    loyalty: 0.9,
  });
});
after(() => planted.close());

interface Listed {
  user_id: string;
  usage: number;
  usages: number[];
  basis: string;
}

async function files(
  run: InsightRun,
  work: (run: InsightRun) => Promise<{ expired_at_sec: number; message: string | null }>,
) {
  const result = await work(run);
  const read = async (format: ResultFormat) => {
    const key = resultKey({ resultId: run.attemptId, expiredAtSec: result.expired_at_sec }, format);
    return text((await planted.blobs.read(key)).stream);
  };
  const [json, csv, svg] = await Promise.all(INSIGHT_FORMATS.map(read));
  const parsed = JSON.parse(json);
  assert.equal(wrongIn(parsed), null);
  return { result, json: parsed, csv, svg };
}

async function listOf(conditions: object[][]) {
  const queries = conditions.map((list) => ({
    conditions: list.map((condition) => ({ lower_bound: null, upper_bound: null, ...condition })),
  }));
  const run = await planted.run('QUERYING', { query_type: 'user_list', queries });
  return { ...(await files(run, answer)), heard: run.heard };
}

test('users who were planted to like a genre use it most', async () => {
  const { json, result, csv, heard } = await listOf([
    [{ attribute: 'genre', value: genreOf(1), lower_bound: 0 }],
    [{ attribute: 'genre', value: genreOf(1), lower_bound: 0.4 }],
  ]);
  const [all, fans]: Listed[][] = json.queries.map(({ users }: { users: Listed[] }) => users);
  assert.equal(all.length, USERS + 3);
  assert.deepEqual(
    all,
    all.toSorted((a, b) => b.usage - a.usage),
  );
  const top = all.slice(0, USERS / GROUPS).map(({ user_id }) => groupOfUser(user_id));
  assert.ok(top.filter((group) => group === 1).length >= 0.95 * top.length);
  assert.ok(fans.length > 0 && fans.every(({ usage }) => usage >= 0.4));
  assert.equal(json.total_users, USERS + 3);
  assert.equal(result.message, `2 queries found ${USERS + 3} and ${fans.length} of ${USERS + 3} users.`);
  assert.equal(csv.split('\r\n').length, 1 + all.length + fans.length + 1);
  assert.ok(heard.length > 1 && heard.every(({ fraction }, n) => fraction >= (heard[n - 1]?.fraction ?? 0)));
});

test('users without events get the population’s distribution and are marked', async () => {
  const { json } = await listOf([[{ attribute: 'genre', value: genreOf(0) }]]);
  const unknown = json.queries[0].users.filter(({ user_id }: Listed) => user_id.startsWith('new-'));
  assert.equal(unknown.length, 3);
  assert.equal(json.population_users, 3);
  for (const { basis, usage } of unknown) {
    assert.equal(basis, 'popularity');
    assert.ok(Math.abs(usage - 1 / GROUPS) < 0.1);
  }
});

test('all conditions must hold; values may be numbers, booleans or one of several', async () => {
  const { json } = await listOf([
    [
      { attribute: 'genre', value: genreOf(2), lower_bound: 0.4 },
      { attribute: 'tags', value: 'odd', lower_bound: 0.5 },
    ],
    [{ attribute: 'tags', value: 'all' }],
    [{ attribute: 'fresh', value: true }],
    [{ attribute: 'year', value: 1990 }],
    [{ attribute: 'fresh', value: false }],
  ]);
  const [both, all, fresh, year, stale]: Listed[][] = json.queries.map(({ users }: { users: Listed[] }) => users);
  assert.ok(both.every(({ usages }) => usages[0] >= 0.4 && usages[1] >= 0.5));
  assert.ok(both.length < USERS / 2);
  assert.ok(
    all.every(({ usage }) => Math.abs(usage - 1) < 1e-5),
    'every item has the tag',
  );
  const freshOf = new Map(fresh.map(({ user_id, usage }) => [user_id, usage]));
  assert.ok(stale.every(({ user_id, usage }) => Math.abs(usage + freshOf.get(user_id)! - 1) < 1e-4));
  assert.ok(year.some(({ usage }) => usage > 0));
});

test('what no item has is used by nobody, and the result says so', async () => {
  const { json, result } = await listOf([
    [{ attribute: 'genre', value: 'none' }],
    [{ attribute: 'no-such', value: 1 }],
    [{ attribute: 'year', value: '1990' }],
    [{ attribute: 'yaer', value: 1990 }],
  ]);
  assert.deepEqual(
    json.queries.map(({ count, users }: { count: number; users: Listed[] }) => [
      count,
      Math.max(...users.map(({ usage }) => usage)),
    ]),
    Array(4).fill([USERS + 3, 0]),
  );
  assert.match(result.message!, /Query 1: No item has genre = none\. Query 2: No item has no-such = 1: there is no/);
  const note = 'No item has year = 1990 as text, but items have the number 1990: query 1990 instead of "1990".';
  assert.equal(json.queries[2].note, note);
  assert.match(json.queries[3].note, /there is no attribute yaer\. Did you mean year\?/);
  const alone = await listOf([[{ attribute: 'fresh', value: 'true' }]]);
  assert.match(
    alone.result.message!,
    /fresh = true as text, but items have the value true: query true instead of "true"/,
  );
});

test('a distribution counts every user once and draws itself', async () => {
  const queries = [{ attribute: 'genre', value: genreOf(3), bins: 10 }];
  const run = await planted.run('QUERYING', { query_type: 'user_distribution', queries });
  const { json, csv, svg } = await files(run, answer);
  const [query] = json.queries;
  assert.equal(query.counts.length, 10);
  assert.equal(
    query.counts.reduce((sum: number, count: number) => sum + count, 0),
    USERS + 3,
  );
  assert.equal(query.edges[0], 0);
  assert.equal(query.edges[10], query.max);
  assert.ok(Math.abs(query.mean - 1 / GROUPS) < 0.05);
  assert.equal(csv.split('\r\n').length, 12);
  assert.match(svg, /Usage of genre = genre-3/);
  assert.equal(query.calibration, null);
  assert.match(json.calibration.method, /not known/, 'the planted model was not trained, so nothing was held out');
});

test('planted groups are found again, counted by the data, and named by what they like', async (t) => {
  const parameters = { min_user_num: 5, num_clusters: null, seed: 1 };
  const run = await planted.run('CLUSTERING', { cluster_type: 'user', parameters });
  const { json, csv, svg, result } = await files(run, findGroups);
  assert.equal(json.num_groups, GROUPS);
  const found: number[] = [];
  const truth: number[] = [];
  for (const { group_id, user_ids } of json.groups) {
    for (const userId of user_ids) {
      found.push(group_id);
      truth.push(groupOfUser(userId));
    }
  }
  assert.equal(found.length, USERS);
  const agreement = adjustedRandIndex(found, truth);
  t.diagnostic(`adjusted Rand index ${agreement}`);
  assert.ok(agreement >= 0.95);
  for (const group of json.groups) {
    const genre = genreOf(groupOfUser(group.user_ids[0]));
    assert.match(group.label, new RegExp(genre));
    assert.equal(group.attributes[0].value, genre);
    assert.ok(group.attributes[0].lift > 1.5);
    assert.match(group.top_items[0].name, /^Item \d+ of \d$/);
  }
  assert.deepEqual(json.unassigned.user_ids.toSorted(), ['new-1', 'new-2', 'new-3']);
  assert.equal(json.unassigned.no_history, 3);
  assert.equal(json.map.length, USERS);
  assert.equal(csv.split('\r\n').length, 1 + USERS + 3 + 1);
  assert.match(svg, /4 groups/);
  assert.match(result.message!, /^4 groups among 243 users/);
  const again = await files(await planted.run('CLUSTERING', { cluster_type: 'user', parameters }), findGroups);
  assert.deepEqual(again.json.groups, json.groups);
});

test('groups that are found among some of the users are those of all', async () => {
  const parameters = { min_user_num: 5, num_clusters: null, seed: 1 };
  const run = await planted.run('CLUSTERING', { cluster_type: 'user', parameters });
  const { json } = await files(run, (whole) => asOnePiece(whole, clusteringSteps(USERS / 3)));
  assert.ok(json.map.length > USERS / 4 && json.map.length < USERS / 2, `${json.map.length} users were read for it`);
  const groups = json.groups.map(({ user_ids }: { user_ids: string[] }) => user_ids.map(groupOfUser));
  const truth = groups.flat();
  const found = groups.flatMap((users: number[], group: number) => users.map(() => group));
  assert.equal(truth.length, USERS);
  assert.ok(adjustedRandIndex(found, truth) >= 0.95);
  const sizes = json.groups.map(({ size }: { size: number }) => size);
  assert.deepEqual(
    sizes,
    sizes.toSorted((a: number, b: number) => b - a),
  );
});

test('groups below the least size are deleted and their users unassigned', async () => {
  const parameters = { min_user_num: 61, num_clusters: 4, seed: 1 };
  const { json, result } = await files(
    await planted.run('CLUSTERING', { cluster_type: 'user', parameters }),
    findGroups,
  );
  assert.ok(json.groups.every(({ size }: { size: number }) => size >= 61));
  const grouped = json.groups.reduce((sum: number, { size }: { size: number }) => sum + size, 0);
  assert.equal(json.unassigned.group_too_small, USERS - grouped);
  assert.equal(json.unassigned.user_ids.length, json.unassigned.count);
  const none = { min_user_num: 1000, num_clusters: null, seed: 1 };
  const empty = await files(await planted.run('CLUSTERING', { cluster_type: 'user', parameters: none }), findGroups);
  assert.deepEqual(empty.json.groups, []);
  assert.equal(empty.result.message, 'No group of at least 1,000 users among 243 users was found.');
  assert.ok(result.message !== null);
});

test('more groups than users is as many groups as users at most', async () => {
  const parameters = { min_user_num: 1, num_clusters: 500, seed: 1 };
  const { json } = await files(await planted.run('CLUSTERING', { cluster_type: 'user', parameters }), findGroups);
  assert.ok(json.num_groups > 100 && json.num_groups <= USERS);
});
