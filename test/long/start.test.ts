// Starting and stopping as a person does it: a second start on the same folder, a port that is taken, npm in between.
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import { startServiceProcess } from '../support/service.ts';

const ROOT = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'kindred-start-'));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

async function serveAndEnd(env: Record<string, string>): Promise<Ended> {
  // Variables of the tests are unknown to the service, which would say so.
  const { KINDRED_TEST_POSTGRES, KINDRED_TEST_LONG, ...outer } = process.env;
  const child = spawn(process.execPath, [join(ROOT, 'src/main.ts'), 'serve'], { env: { ...outer, ...env } });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}

test('a second start on a data folder is refused with who holds it, and one after kill -9 is not', async (t) => {
  const dataDir = join(folder, 'held');
  const env = { KINDRED_DATA_DIR: dataDir, KINDRED_ROLES: 'api', KINDRED_PORT: '0' };
  const first = await startServiceProcess(env);
  t.after(() => first.kill());
  const second = await serveAndEnd(env);
  assert.equal(second.code, 1);
  assert.equal(second.stdout, '');
  assert.match(second.stderr, /^kindred could not start: The data folder .*held is in use by process \d+.*\n$/);
  assert.match(second.stderr, new RegExp(`process ${first.child.pid} \\(since \\w{3} \\d+, \\d{4}, \\d\\d:`));
  assert.match(second.stderr, /KINDRED_DATA_DIR/);
  assert.equal((await first.call('GET', '/healthz', undefined, { anonymous: true })).status, 200);

  await first.kill();
  const third = await startServiceProcess(env);
  assert.equal(await third.terminate(), 0);
  const fourth = await startServiceProcess(env);
  await fourth.kill();
});

test('a worker of its own may join the service of a folder', async () => {
  const dataDir = join(folder, 'joined');
  const api = await startServiceProcess({ KINDRED_DATA_DIR: dataDir, KINDRED_ROLES: 'api' });
  const worker = spawn(process.execPath, [join(ROOT, 'src/main.ts'), 'serve'], {
    env: { ...process.env, KINDRED_DATA_DIR: dataDir, KINDRED_ROLES: 'worker', KINDRED_LOG_LEVEL: 'error' },
  });
  await untilSaid(worker, /runs jobs/);
  worker.kill();
  await once(worker, 'exit');
  await api.kill();
});

test('a port that is taken is one line that names KINDRED_PORT, and nothing is created', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const dataDir = join(folder, 'never');
  const { code, stdout, stderr } = await serveAndEnd({ KINDRED_DATA_DIR: dataDir, KINDRED_PORT: String(port) });
  other.close();
  assert.equal(code, 1);
  assert.equal(stdout, '');
  assert.equal(
    stderr,
    `kindred could not start: Port ${port} on 127.0.0.1 is in use. Stop what uses it, or set KINDRED_PORT to another port.\n`,
  );
  assert.ok(!existsSync(dataDir));
});

test('a misspelled variable is told, also when the service does not start', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const dataDir = join(folder, 'misspelled');
  const env = { KINDRED_DATA_DIR: dataDir, KINDRED_PORT: String(port), KINDRED_HOTS: '127.0.0.1' };
  const { code, stdout, stderr } = await serveAndEnd(env);
  other.close();
  assert.equal(code, 1);
  assert.match(stdout, /"KINDRED_HOTS is not a variable of Kindred; did you mean KINDRED_HOST\?"/);
  assert.match(stderr, /^kindred could not start: Port/);
});

for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
  test(`${signal} to the process of npm start stops the service and its worker`, async () => {
    const env = { ...process.env, KINDRED_DATA_DIR: join(folder, `npm-${signal}`), KINDRED_PORT: '0' };
    const npm = spawn('npm', ['start'], { cwd: ROOT, env });
    const [, address] = await untilSaid(npm, /serves at (http\S+)/);
    const pids = descendantsOf(npm.pid!);
    assert.ok(pids.length >= 2, `npm started ${pids.length} processes`);
    npm.kill(signal);
    await untilGone(pids);
    await assert.rejects(fetch(`${address}/healthz`));
  });
}

test('npm that is killed while the service starts leaves no service behind', async () => {
  const env = { ...process.env, KINDRED_DATA_DIR: join(folder, 'npm-early'), KINDRED_PORT: '0' };
  const npm = spawn('npm', ['start'], { cwd: ROOT, env });
  // The folder is created after the process has begun and before it serves.
  while (!existsSync(env.KINDRED_DATA_DIR)) {
    assert.equal(npm.exitCode, null);
    await delay(2);
  }
  const pids = descendantsOf(npm.pid!);
  assert.ok(pids.length >= 1, `npm started ${pids.length} processes`);
  npm.kill('SIGKILL');
  await untilGone(pids);
});

async function untilSaid(child: ChildProcess, what: RegExp): Promise<RegExpExecArray> {
  let text = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.on('data', (chunk) => {
      text += chunk;
    });
  }
  for (;;) {
    const found = what.exec(text);
    if (found) return found;
    assert.equal(child.exitCode, null, text);
    await delay(20);
  }
}

/** Of that process and its children, theirs and so on, without itself. */
function descendantsOf(pid: number): number[] {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((row) => row.trim().split(/\s+/).map(Number));
  const children = rows.filter(([, parent]) => parent === pid).map(([child]) => child);
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

async function untilGone(pids: number[]): Promise<void> {
  await eventually(() => !pids.some(isAlive));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
