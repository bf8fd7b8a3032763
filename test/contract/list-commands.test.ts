// The commands of lists and of jobs with results can send every field of their calls: each is run with all its options, and the body
// that arrives is compared with the fields that the call has.
import assert from 'node:assert/strict';
import { after, before, mock, test } from 'node:test';
import { Command } from 'commander';
import type { TObject } from 'typebox';
import { COMMANDS } from '../../src/cli/commands.ts';
import type { Route } from '../../src/http/route.ts';
import { placementCallRoutes } from '../../src/http/routes/placement-calls.ts';
import { rankRoutes } from '../../src/http/routes/rank.ts';
import { recommendRoutes } from '../../src/http/routes/recommend.ts';
import { relatedRoutes } from '../../src/http/routes/related.ts';
import { submitJobRoutes } from '../../src/http/routes/submit-jobs.ts';
import { topItemRoutes } from '../../src/http/routes/top-items.ts';
import { startScriptedServer } from '../support/scripted-server.ts';

const NAMED = { project_id: 'prj_1', model_id: 'mdl_1', name: 'one', item_dataset_id: 'ids_1' };
const RESPONSES: Record<string, unknown> = {
  '/create-access-token': { access_token: 't', token_type: 'Bearer', expires_in: 3600, scope: '*' },
  '/list-projects': { projects: [NAMED], next_page_token: null },
  '/list-models': { models: [NAMED], next_page_token: null },
};
/** All that the commands here read of the responses of other calls. */
const REST = { results: [], attributes: [], job_id: 'job_1', job_status: 'SUCCEED', progress: { fraction: 1 } };

let server: Awaited<ReturnType<typeof startScriptedServer>>;
before(async () => {
  server = await startScriptedServer(({ path }) => ({
    body: RESPONSES[path] ?? { ...REST, job_result: { download_url: `${server.baseUrl}/results/r` } },
  }));
  Object.assign(process.env, { KINDRED_BASE_URL: server.baseUrl, KINDRED_API_KEY: 'k', KINDRED_CLIENT_SECRET: 's' });
});
after(() => server.close());

const NOTHING = {} as never;
const ROUTES: Route[] = [recommendRoutes, relatedRoutes, rankRoutes, placementCallRoutes, topItemRoutes]
  .flatMap((routes) => routes(NOTHING))
  .concat(submitJobRoutes(NOTHING, { exportDestinations: [], importSources: [] }));

function fieldsOf(path: string): string[] {
  const [{ body }] = ROUTES.filter((route) => route.path === path);
  return Object.keys((body as TObject).properties).sort();
}

/** Runs a command and returns the fields of the call that it made. What it prints is not shown. */
async function fieldsSent(path: string, words: readonly string[]): Promise<string[]> {
  const write = process.stdout.write.bind(process.stdout);
  const silent = mock.method(process.stdout, 'write', (chunk: never) => typeof chunk === 'string' || write(chunk));
  const program = new Command();
  (await COMMANDS[words[0] as keyof typeof COMMANDS]())(program);
  await program.parseAsync(['node', 'kindred', ...words, '--json']);
  silent.mock.restore();
  assert.equal(process.exitCode, undefined);
  const call = server.asked.findLast((asked) => asked.path === path);
  return Object.keys(JSON.parse(call?.body ?? '{}')).sort();
}

const CHOICE =
  'filter=price<$max filter-param=max=5 exclude=i9 exclude-types=view boost=2:price<3 pin=1:i1 max-per=genre=2';
const COMMON = `${CHOICE} context=device=phone attributes=title project=one`;
const PAGE = 'limit=5 page-token=x';
const SEEN = 'no-exclude-seen touch-days=3';
const WINDOW = 'hours=24 event-type=view';
const OF_USER = 'session=i7 objective=discover';

/** Call → the command, its options, and fields of the call that it does not have. */
const COMMANDS_OF: Record<string, [command: string, options: string, without?: string[]]> = {
  '/recommend-items-to-user': ['recommend u1', `${COMMON} ${PAGE} ${OF_USER} ${SEEN} model=one explain`],
  // One item is sent as item_ids.
  '/recommend-items-to-item': [
    'related i1 i2',
    `${COMMON} ${PAGE} ${OF_USER} model=one explain relation=next user=u1`,
    ['item_id'],
  ],
  // It has no pages: every token is refused.
  '/rank-items-to-user': ['rank u1 i1 i2', `${COMMON} ${OF_USER} model=one`, ['page_token']],
  '/list-top-items': ['top popular', `${COMMON} ${PAGE} ${OF_USER} ${WINDOW} no-exclude-seen user=u1`],
  '/call-placement': [
    'placement call home',
    `${COMMON} ${PAGE} ${OF_USER} ${SEEN} ${WINDOW} model=one explain user=u1 items=i1 preview`,
    ['item_id'],
  ],
  '/submit-recommendation-job': [
    'recommend-all',
    `${COMMON} ${SEEN} to=s3://a/b.csv users=u1 limit=5 objective=discover model=one placement=home name=x`,
  ],
  '/submit-export-job': ['export user_vectors', 'to=s3://a/b.jsonl project=one model=one name=x'],
  '/submit-querying-job': ['query genre=Horror', 'project=one model=one name=x'],
  '/submit-clustering-job': ['cluster', 'project=one model=one name=x clusters=3 min-users=2 seed=1'],
};

for (const [path, [command, options, without = []]] of Object.entries(COMMANDS_OF)) {
  test(`kindred ${command.split(' ')[0]} has an option for each field of ${path}`, async () => {
    const sent = await fieldsSent(path, [...command.split(' '), ...options.split(' ').map((option) => `--${option}`)]);
    assert.deepEqual(
      sent,
      fieldsOf(path).filter((field) => !without.includes(field)),
    );
  });
}
