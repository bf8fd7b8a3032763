// The commands of the flow against a real service, as a person or a script runs them: what they print and how they end.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Command } from 'commander';
import { COMMANDS } from '../../src/cli/commands.ts';
import { readRecommendation } from '../../src/domain/recommendation.ts';
import { eventually } from '../support/eventually.ts';
import { plantModel } from '../support/plant-model.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { createTasteProject, isOfKind, type TasteProject, tasteModel } from '../support/taste-project.ts';
import { newTestPlace, type TestPlace } from '../support/test-database.ts';

const ENTRY = join(import.meta.dirname, '../../src/main.ts');
let place: TestPlace;
let service: TestService;
let project: TasteProject;
let folder = '';

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kindred-commands-'));
  place = await newTestPlace('sqlite');
  service = await startTestService({ KINDRED_ROLES: 'api,worker', KINDRED_DATA_DIR: place.dataDir });
  project = await createTasteProject(service);
  await plantModel(place, project, tasteModel());
});
after(async () => {
  await service.stop();
  await place.remove();
  rmSync(folder, { recursive: true, force: true });
});

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

function kindred(...words: string[]): Promise<Ended> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, KINDRED_DATA_DIR: service.dataDir };
  return new Promise((resolve) => {
    execFile(process.execPath, [ENTRY, ...words], { env, cwd: folder }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr });
    });
  });
}

async function json(...words: string[]) {
  const { code, stdout, stderr } = await kindred(...words, '--json');
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

test('deploy, recommend, query, cluster and jobs print what people read', async () => {
  const deployed = await kindred('deploy');
  assert.equal(deployed.code, 0, deployed.stderr);
  assert.match(deployed.stdout, /films serves planted at http/);
  assert.match(deployed.stderr, /Deployment: 100% done in/);

  // A newer model that is not deployed: query and cluster ask the one that serves.
  await plantModel(place, project, tasteModel());

  const recommended = await kindred('recommend', 'u1', '--limit', '3', '--explain');
  assert.match(recommended.stdout, /^u1\n#\s+item\s+title\s.*score\s+because of$/m);
  assert.match(recommended.stdout, /^1\s+i1\s+Film 1\s+.*Comedy/m);

  const related = await kindred('related', 'i1', 'i4', '--relation', 'together', '--limit', '3');
  assert.match(related.stdout, /^similar to i1, i4\n#\s+item\s+title/m, 'the planted model knows no relations');
  assert.equal((await kindred('related')).code, 2);

  const distribution = await kindred('query', 'genre=Horror', '--bins', '5');
  assert.equal(distribution.code, 0, distribution.stderr);
  assert.match(distribution.stdout, /genre = Horror: users by affinity \(mean 0\.\d+, median 0\.\d+, 60 users\)/);
  assert.equal(distribution.stdout.match(/^\d\.\d{3} to \d\.\d{3} /gm)?.length, 5);

  const list = await kindred('query', 'genre=Horror', '--min', '0.5', '--limit', '2');
  assert.match(list.stdout, /20 of 60 users meet the conditions/);
  assert.match(list.stdout, /… and 18 more/);

  const clusters = await kindred('cluster', '--clusters', '3', '--out', 'groups.csv');
  assert.equal(clusters.code, 0, clusters.stderr);
  assert.match(clusters.stdout, /3 groups among 60 users.* Saved in groups\.csv\.\n$/);
  assert.equal(readFileSync(join(folder, 'groups.csv'), 'utf8').trim().split('\n').length, 61);

  const jobs = await kindred('jobs', '--type', 'QUERYING');
  assert.equal(jobs.stdout.match(/SUCCEED/g)?.length, 2);
  assert.equal(jobs.stdout.match(/^job_[0-9a-z]{26} /gm)?.length, 2, 'ids are whole for the next program to read');
  const { generator_model_id } = await service.ok('GET', '/get-deployment', { project_id: project.project_id });
  for (const job of (await json('jobs')).jobs) {
    if (/QUERYING|CLUSTERING/.test(job.job_type)) assert.equal(job.job_data.model_id, generator_model_id);
  }
});

test('with --json a script gets the result and nothing else', async () => {
  const response = await json('recommend', 'u2', '--limit', '1', '--attributes', 'title');
  assert.deepEqual(response.attributes, ['title']);
  assert.ok(response.results.every(({ item }: { item: { item_id: string } }) => isOfKind(item.item_id, 2)));
  const filtered = await json('recommend', 'u2', '--filter', "genre = 'Drama'", '--limit', '4');
  assert.equal(filtered.results.length, 4);
  const withParams = ['--filter', 'genre IN $genres AND price < $max', '--filter-param', 'genres=["Drama","Comedy"]'];
  const cheap = await json('recommend', 'u2', ...withParams, '--filter-param', 'max=5', '--limit', '9');
  assert.deepEqual(cheap.results.map(({ item }: { item: { item_id: string } }) => item.item_id).sort(), [
    'i0',
    'i1',
    'i3',
    'i4',
  ]);
  const mistyped = await kindred('recommend', 'u2', '--filter', "genres = 'Drama'");
  assert.match(mistyped.stderr, /Warning: No item has an attribute genres\. Did you mean genre\?/);
  assert.equal((await kindred('recommend', 'u2', '--filter-param', 'max')).code, 2);
  const [newest] = (await json('jobs', '--limit', '1')).jobs;
  assert.equal((await json('jobs', newest.job_id)).job_id, newest.job_id);
  const { job_id } = await json('deploy', '--no-wait');
  assert.equal((await json('jobs', job_id, '--follow')).job_status, 'SUCCEED');
});

test('several placements are called as a page, and what became of a list is recorded', async () => {
  const { project_id } = project;
  const file = join(folder, 'placement.json');
  writeFileSync(file, JSON.stringify({ kind: 'for_you', defaults: { limit: 3 } }));
  for (const name of ['first', 'second']) assert.equal((await kindred('placement', 'set', name, file)).code, 0);
  const { placements } = await json('placement', 'call', 'first', 'second', '--user', 'u1');
  const shown: string[] = placements.flatMap(({ results }: { results: { item: { item_id: string } }[] }) =>
    results.map(({ item }) => item.item_id),
  );
  assert.deepEqual([shown.length, new Set(shown).size], [6, 6]);
  assert.match((await kindred('placement', 'call', 'first', 'second', '--user', 'u1')).stdout, /^first\n.*^second\n/ms);
  assert.equal((await kindred('placement', 'call', 'first', 'second', '--page-token', 'x')).code, 2);

  const preview = await json('placement', 'call', 'first', 'second', '--user', 'u1', '--preview');
  assert.equal(readRecommendation(preview.placements[0].recommendation_id)?.placement, null);
  const [{ recommendation_id }] = placements;
  assert.equal((await json('impressions', recommendation_id, shown[0], shown[1])).recorded, 1);
  assert.equal((await kindred('impressions', 'Av8B')).code, 3);
  await json('track', 'u1', shown[0], '--recommendation', recommendation_id);
  const report = await service.ok('GET', '/get-placement-report', { project_id, placement: 'first', by: 'total' });
  assert.deepEqual([report.totals[0].shown, report.totals[0].direct.clicked], [2, 1]);
});

test('recommend-all saves the lists of many users, and refuses a file of another kind', async () => {
  const out = join(folder, 'lists.csv');
  const saved = await kindred(
    'recommend-all',
    '--users',
    'u1,u2',
    '--limit',
    '3',
    '--attributes',
    'title',
    ...['--pin', '2:i3', '--boost', '2:price < 20', '--exclude', 'i5', '--touch-days', '30'],
    '--out',
    out,
  );
  assert.equal(saved.code, 0, saved.stderr);
  assert.match(saved.stdout, /Lists for 2 users\. Saved in .*lists\.csv/);
  const rows = readFileSync(out, 'utf8').trimEnd().split('\r\n');
  assert.equal(rows[0], 'user_id,rank,item_id,score,title');
  assert.equal(rows.length, 7);
  assert.match(rows[2], /^u\d,2,i3,/);
  const { jobs } = await service.ok('GET', '/list-jobs', { job_type: 'RECOMMENDATION' });
  assert.equal(jobs[0].job_data.call.touch_days, 30);
  assert.equal((await kindred('recommend-all', '--out', join(folder, 'lists.xml'))).code, 2);
});

test('experiment show has a line for every variant and metric, that of the experiment first', async () => {
  const variants = join(folder, 'variants.json');
  writeFileSync(
    variants,
    JSON.stringify([
      { name: 'today', share: 1 },
      { name: 'varied', share: 1, overrides: { diversity: 0.5 } },
    ]),
  );
  const { project_id } = project;
  await service.ok('POST', '/create-placement', { project_id, name: 'tried', kind: 'for_you' });
  const { experiment_id } = await json('experiment', 'create', 'tried', variants, '--metric', 'target');
  await json('placement', 'call', 'tried', '--user', 'u1');
  let shown = '';
  await eventually(async () => {
    shown = (await kindred('experiment', 'show', experiment_id)).stdout;
    return / 1 +conversion rate +0\.0%/.test(shown);
  });
  const metrics = shown.split('\n').flatMap((line) => /(\w+ rate|value per visitor)( |$)/.exec(line)?.[1] ?? []);
  const each = ['conversion rate', 'click rate', 'value per visitor'];
  assert.deepEqual(metrics, ['conversion rate', ...each, ...each]);
  assert.match(shown, /running\), decided by conversion rate\nToo early to tell/);
});

test('patch changes single attributes, and tells unknown ids by exit code', async () => {
  const response = await json('patch', 'items', 'i1', 'i2', '--set', 'price=9.5', '--set', 'tags=["a","b"]');
  assert.deepEqual(response.succeed_ids, ['i1', 'i2']);
  const { item_dataset_id } = project;
  const { attributes } = await service.ok('GET', '/get-dataset-record', { item_dataset_id, item_id: 'i2' });
  assert.deepEqual(attributes, { title: 'Film 2', genre: ['Horror'], price: 9.5, tags: ['a', 'b'] });
  const some = await kindred('patch', 'items', 'i1', 'nowhere', '--unset', 'tags');
  assert.equal(some.code, 6);
  assert.match(some.stdout, /1 of 2 items changed/);
  assert.match(some.stderr, /nowhere: The dataset has no item with this id/);
  await json('patch', 'items', 'i1', 'i2', '--set', 'price=1', '--unset', 'tags');
});

test('import makes a project, and tells refused rows by file and exit code', async () => {
  writeFileSync(join(folder, 'users.csv'), 'user_id,age\na,30\nb,40\n');
  writeFileSync(join(folder, 'items.jsonl'), '{"item_id":"x","attributes":{"name":"X"}}\n{"item_id":"y","name":"Y"}\n');
  writeFileSync(
    join(folder, 'events.csv'),
    'user,item,time,action\na,x,2024-01-01,buy\nb,y,2024-01-02,buy\n,y,2024-01-03,view\n',
  );
  const files = ['users.csv', 'items.jsonl', 'events.csv'];
  const dry = await json('import', ...files, '--dry-run');
  assert.deepEqual(
    dry.map(({ kind }: { kind: string }) => kind),
    ['users', 'items', 'events'],
  );
  const imported = await kindred('import', ...files, '--project', 'shop', '--json');
  assert.equal(imported.code, 6, imported.stderr);
  const result = JSON.parse(imported.stdout);
  assert.deepEqual(
    result.files.map(({ succeeded, failed }: { succeeded: number; failed: number }) => [succeeded, failed]),
    [
      [2, 0],
      [2, 0],
      [2, 1],
    ],
  );
  assert.match(
    readFileSync(join(folder, 'events.csv.failed.jsonl'), 'utf8'),
    /"row":3,"code":"UNREADABLE_ROW","message":"user_id is empty"/,
  );
  const made = await service.ok('GET', '/get-project', { project_id: result.project_id });
  assert.equal(made.target_event_type, 'buy');
  const again = await kindred('import', 'users.csv', '--project', 'shop', '--json');
  assert.equal(JSON.parse(again.stdout).project_id, result.project_id);
  writeFileSync(join(folder, 'seen.csv'), 'user,item,when,end\na,x,2024-01-01,1\n');
  const mapped = await json('import', 'seen.csv', 'items.jsonl', '--map', 'ts=when', '--dry-run');
  assert.deepEqual([mapped[1].kind, mapped[1].records[0].ts], ['events', Date.UTC(2024, 0, 1)]);
  const unknown = await kindred('import', 'seen.csv', 'items.jsonl', '--map', 'ts=when', '--map', 'event_type=what');
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /no file has a column what/);
  const untimed = await kindred('import', 'seen.csv', 'items.jsonl');
  assert.match(untimed.stderr, /seen\.csv: no column for ts/);
  writeFileSync(join(folder, 'daily.csv'), `user,item,date\n${'a,x,2024-01-01\n'.repeat(3)},x,2024-01-01\n`);
  const daily = await kindred('import', 'daily.csv', '--project', 'shop');
  assert.match(daily.stdout, /1 skipped, see .*daily\.csv\.failed\.jsonl; the first is row 4: user_id is empty/);
  assert.match(daily.stdout, /2 rows repeat the event_id \(.*user, item, time and type\) of another row/);
  await service.ok('DELETE', '/delete-project', { project_id: result.project_id });
});

test('evaluate understands the headers that import does', async () => {
  const rows = (days: number[]) =>
    Array.from({ length: 60 }, (_, user) =>
      days.map((day) => `c${user},sku-${(user * 7 + day) % 40},2024-01-${10 + day},purchase`),
    );
  const header = 'customer_id,sku,created_at,event';
  writeFileSync(join(folder, 'shop-train.csv'), [header, ...rows([0, 1, 2, 3, 4, 5, 6, 7]).flat()].join('\n'));
  writeFileSync(join(folder, 'shop-test.csv'), [header, ...rows([8]).flat()].join('\n'));
  const result = await json('evaluate', '--train', 'shop-train.csv', '--test', 'shop-test.csv', '--cutoffs', '5');
  assert.equal(result.data.format, 'csv');
  assert.equal(result.data.users, 60);
  assert.ok(result.metrics['recall@5'] > 0);
});

test('report prints outcomes, and sets the assist window within its bounds', async () => {
  const windowOf = async () =>
    (await service.ok('GET', '/get-project', { project_id: project.project_id })).assist_window_hours;
  const set = await kindred('report', '--project', 'films', '--assisted', '--assist-window', '72');
  assert.equal(set.code, 0, set.stderr);
  assert.match(set.stdout, /Items shown from now on assist events for 72 h\./);
  assert.equal(await windowOf(), 72);
  const { rows, totals } = await json('report', '--project', 'films', '--assist-window', '1', '--by', 'hour');
  assert.ok(Array.isArray(rows) && Array.isArray(totals));
  assert.equal((await kindred('report', '--project', 'films', '--placement', 'nope')).code, 3);
  for (const hours of ['721', '1.5']) {
    const refused = await kindred('report', '--assist-window', hours);
    assert.equal(refused.code, 2, hours);
    assert.match(refused.stderr, /--assist-window.*from 1 to 720/, hours);
  }
  assert.equal(await windowOf(), 1, 'what was refused changed nothing');
});

test('exit codes tell wrong use, refusal and an unreachable service apart', async () => {
  assert.equal((await kindred('recommend')).code, 2);
  assert.equal((await kindred('query', 'genre')).code, 2);
  assert.equal((await kindred('recommend', 'u1', '--project', 'nothing')).code, 2);
  const wrongFiles = [
    ['import', 'no-such-file.csv'],
    ['evaluate', '--train', 'no-such-file.csv', '--test', 'no-such-file.csv'],
    ['evaluate', '--train', 'users.csv', '--test', 'users.csv', '--parameters', '{"walks": 1}'],
    ['evaluate', '--train', 'users.csv', '--test', 'users.csv'],
    ['evaluate', '--train', 'events.csv', '--test', 'others.csv'],
    ['sample', 'users.csv'],
  ];
  writeFileSync(join(folder, 'others.csv'), 'customer_id,sku,created_at,event\nc,x,2024-01-04,buy\n');
  for (const args of wrongFiles) {
    const { code, stderr } = await kindred(...args);
    assert.equal(code, 2, args.join(' '));
    // One line, and no stack.
    assert.match(stderr, /^kindred: .*\n$/);
  }
  const refused = await kindred('recommend', 'u1', '--filter', 'price <');
  assert.equal(refused.code, 3);
  assert.match(refused.stderr, /INVALID_FILTER/);
  const unreachable = await kindred('jobs', '--url', 'http://127.0.0.1:1');
  assert.equal(unreachable.code, 4);
  assert.match(unreachable.stderr, /Is the service running\?/);
});

test('every command explains itself with examples', async () => {
  const { stdout: overview } = await kindred('--help');
  const names = [...overview.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name]) => name);
  assert.deepEqual(names, [...Object.keys(COMMANDS), 'help']);
  for (const command of ['serve', 'recommend-all', 'account create', 'events move-shards']) {
    const { code, stdout } = await kindred(...command.split(' '), '--help');
    assert.equal(code, 0, command);
    assert.match(stdout, /Examples:\n {2}\$ kindred/, command);
  }
  // All of them, without a process for each.
  const program = new Command('kindred');
  for (const load of Object.values(COMMANDS)) (await load())(program);
  for (const command of program.commands.flatMap(leavesOf)) {
    const help = helpOf(command);
    assert.match(help, /Examples:\n {2}\$ kindred/, command.name());
    if (command.name() !== 'serve') assert.match(help, /Exit codes:/, command.name());
  }
});

const leavesOf = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
  return text;
}

test('a command whose reader has seen enough ends without a stack trace', async () => {
  const child = spawn(process.execPath, [ENTRY, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  await once(child, 'close');
  assert.equal(stderr, '');
});
