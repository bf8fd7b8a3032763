// npm run bench -- personas: how long people of four kinds take from a fresh clone to what they came for. A data scientist runs the
// notebook, a front-end developer shows a personal list in a page, an operator checks two nodes in compose, a manager signs in to
// the console. Every command is one a person would type; reading and thinking are not counted. Needs Python 3.10 for the notebook.
// Last, the way from files to a personal list with Kindred and with Gorse (needs Go).
//
//   npm run bench -- personas [--only=people|first-list]
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { compareFirstLists } from './personas/first-list.ts';
import { clone, dataDir, env, folder, has, kindred, run, seconds, tell } from './personas/newcomer.ts';
import { report } from './report.ts';

const BAR_MINUTES = 15;
const ORIGIN = 'https://shop.example';
const only = process.argv.find((word) => word.startsWith('--only='))?.slice('--only='.length);

let service: ChildProcess | undefined;
try {
  const setUp = await seconds(() => {
    run('git', ['clone', '--quiet', '--depth', '1', `file://${process.cwd()}`, clone], folder);
    run('npm', ['ci', '--silent'], clone);
  });
  tell('everyone: git clone, npm ci', setUp);

  let link = '';
  const start = await seconds(async () => {
    link = await startService();
  });
  tell('everyone: npm start until it serves', start);

  if (only === undefined || only === 'people') await timePeople(link, { setUp, start });
  if (only === undefined || only === 'first-list') await compareFirstLists(setUp + start);
} finally {
  if (service?.exitCode === null) {
    const ended = once(service, 'exit');
    service.kill('SIGTERM');
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
}

async function timePeople(link: string, { setUp, start }: { setUp: number; start: number }): Promise<void> {
  const signIn = await seconds(() => signInTo(link));
  tellPersona('manager: signed in to the console', setUp + start + signIn);

  const page = await seconds(showListInPage);
  tellPersona('front-end developer: a personal list in a page', setUp + start + page);

  const compose = await seconds(checkCompose);
  tellPersona('operator: two nodes in compose, configuration checked', setUp + compose);

  const notebook = await seconds(runNotebook);
  tellPersona('data scientist: the notebook in a new environment', setUp + start + notebook);
}

/** Returns the one-time link that the start prints. */
async function startService(): Promise<string> {
  const started = spawn('npx', ['kindred', 'serve'], {
    cwd: clone,
    env: { ...env, KINDRED_PORT: '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  service = started;
  let printed = '';
  started.stderr.on('data', (chunk) => {
    printed += chunk;
  });
  while (started.exitCode === null) {
    const found = /(http\S+#signin=\S+)/.exec(printed);
    if (found) return found[1];
    await sleep(50);
  }
  throw new Error(`the service did not start: ${printed}`);
}

/** What the console does with the link. */
async function signInTo(link: string): Promise<void> {
  const { origin, hash } = new URL(link);
  const console = await fetch(`${origin}/console/`);
  const session = await fetch(`${origin}/console/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ code: hash.replace('#signin=', '') }),
  });
  if (!console.ok || !session.ok) throw new Error(`sign-in: ${console.status} ${session.status}`);
}

async function showListInPage(): Promise<void> {
  kindred('sample', 'sample', '--size', 'small');
  const files = ['users', 'items', 'events'].map((name) => `sample/${name}.csv`);
  const { project_id } = JSON.parse(
    kindred('import', ...files, '--project', 'films', '--target-event', 'watch', '--json'),
  );
  kindred('train', '--project', 'films', '--deploy');
  const definition = { kind: 'for_you', defaults: { limit: 6, attributes: ['name'] }, fallback: ['popular'] };
  writeFileSync(join(clone, 'home.json'), JSON.stringify(definition));
  kindred('placement', 'set', 'home', 'home.json', '--project', 'films');
  const made = kindred('account', 'keys', 'default', '--create', 'p', '--browser', ORIGIN, '--project', project_id);
  const key = /key_[a-z0-9]+/.exec(made)![0];
  const { base_url } = JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8'));
  const response = await fetch(`${base_url}/projects/${project_id}/placements/home?key=${key}`, {
    method: 'POST',
    headers: { origin: ORIGIN, 'content-type': 'application/json' },
    body: JSON.stringify({ user_id: 'viewer-00001' }),
  });
  const { results } = (await response.json()) as { results?: unknown[] };
  if (results?.length !== 6) throw new Error(`the page got ${response.status}`);
}

/** With Docker's own check where the plugin is there, else with the project's. */
function checkCompose(): void {
  const secrets = { POSTGRES_PASSWORD: 'x', S3_SECRET: 'y' };
  if (has('docker', 'compose', 'version')) run('docker', ['compose', 'config', '--quiet'], clone, secrets);
  else run('npx', ['node', '--test', 'test/packaging/deployment-files.test.ts']);
}

function runNotebook(): void {
  // The whole sample: the notebook measures its recommendations.
  const films = join(folder, 'films');
  run('npx', ['kindred', 'sample', films]);
  const venv = join(folder, 'venv');
  const python = join(venv, 'bin/python');
  run('python3', ['-m', 'venv', venv]);
  const pip = ['-m', 'pip', '--quiet', '--disable-pip-version-check', 'install'];
  run(python, [...pip, './clients/python[pandas,polars]', 'pytest']);
  const { base_url, api_key, client_secret } = JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8'));
  run(
    python,
    ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'tests/test_notebook.py'],
    join(clone, 'clients/python'),
    {
      KINDRED_BASE_URL: base_url,
      KINDRED_API_KEY: api_key,
      KINDRED_CLIENT_SECRET: client_secret,
      KINDRED_SAMPLE: films,
    },
  );
}

function tellPersona(what: string, sec: number): void {
  const minutes = sec / 60;
  report({
    bench: 'personas',
    what,
    base: `${BAR_MINUTES} minutes`,
    ratio: minutes / BAR_MINUTES,
    figures: `${minutes.toFixed(1)} minutes from the clone`,
    bar: 'at most 1',
    met: minutes <= BAR_MINUTES,
  });
}
