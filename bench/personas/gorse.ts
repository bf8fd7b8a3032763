// Gorse from its Go module to the list of a known user, as its documentation says: one program (`gorse-in-one`), a configuration
// file, three files of JSON Lines, one call. The settings are those of the configuration file that its repository ships
// (matrix factorization, users who liked the same items, factorization machines as ranker), except that
// - data and cache are in SQLite, as in Gorse's playground: no other server has to be installed;
// - items are neighbors by common users, because the films have no embeddings, and the list of external trends is left out;
// - it uses every processor core (`n_jobs`; 1 in the file).
// The module is built from source with empty caches of Go, and the build is timed apart: who has Docker loads an image instead.
// KINDRED_BENCH_GORSE: a program that was built before.
// 0.5.4 can end its loop of tasks with a panic when files arrive while it reads the data. Then it is started again, as a person would.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, openAsBlob, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FilmFiles, READ_TYPE, TARGET_TYPE } from './film-files.ts';
import { env, folder, freePort, has, run, seconds } from './newcomer.ts';

const MODULE = 'github.com/gorse-io/gorse';
export const GORSE_VERSION = 'v0.5.4';
const WAIT_MS = 20 * 60_000;

export interface GorseTimes {
  /** download of the source and its modules, and the build; null: it was built before */
  buildSec: number | null;
  startSec: number;
  importSec: number;
  waitSec: number;
}

const built = process.env.KINDRED_BENCH_GORSE;

export const hasGorse = (): boolean => built !== undefined || has('go', 'version');

/** Calls for the user's list until `isPersonal` says that it is a personal one. */
export async function timeGorse(
  files: FilmFiles,
  userId: string,
  isPersonal: (list: readonly string[]) => boolean,
): Promise<GorseTimes> {
  const home = join(folder, 'gorse');
  for (const part of ['cache', 'blob']) mkdirSync(join(home, part), { recursive: true });
  const program = built ?? join(home, 'gorse-in-one');
  const buildSec = built ? null : await seconds(() => build(home, program));
  const [port, httpPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${httpPort}/api`;
  const config = join(home, 'config.toml');
  writeFileSync(config, configuration(home, port, httpPort));
  let child: ChildProcess | undefined;
  let hasPanicked = false;
  const start = async (): Promise<void> => {
    hasPanicked = false;
    const started = spawn(program, ['-c', config, '--cache-path', join(home, 'cache')], {
      cwd: home,
      env: { ...env, HOME: home },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const output of [started.stdout, started.stderr]) {
      output.on('data', (chunk) => {
        hasPanicked ||= String(chunk).includes('panic recovered');
      });
    }
    child = started;
    await until(async () => (await fetch(`${url}/health/ready`)).ok);
  };
  const stop = async (): Promise<void> => {
    if (child?.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  try {
    const startSec = await seconds(start);
    const importSec = await seconds(async () => {
      for (const name of ['users', 'items', 'feedback'] as const) await upload(`${url}/bulk/${name}`, files[name]);
    });
    const waitSec = await seconds(() =>
      until(async () => {
        if (hasPanicked) await stop().then(start);
        const result = await fetch(`${url}/recommend/${userId}?n=10`);
        return result.ok && isPersonal(((await result.json()) as string[] | null) ?? []);
      }),
    );
    return { buildSec, startSec, importSec, waitSec };
  } finally {
    await stop();
  }
}

function build(home: string, program: string): void {
  const caches = { GOMODCACHE: join(home, 'modules'), GOCACHE: join(home, 'build'), GOFLAGS: '-modcacherw' };
  const found = run('go', ['mod', 'download', '-json', `${MODULE}@${GORSE_VERSION}`], home, caches);
  const source = join(home, 'source');
  cpSync((JSON.parse(found) as { Dir: string }).Dir, source, { recursive: true });
  run('go', ['build', '-o', program, './cmd/gorse-in-one'], source, caches);
}

const configuration = (home: string, port: number, httpPort: number): string => `
[database]
data_store = "sqlite://${join(home, 'data.db')}"
cache_store = "sqlite://${join(home, 'cache.db')}"

[master]
host = "127.0.0.1"
port = ${port}
http_host = "127.0.0.1"
http_port = ${httpPort}
n_jobs = ${availableParallelism()}

[recommend]
cache_size = 100

[recommend.data_source]
positive_feedback_types = ["${TARGET_TYPE}"]
read_feedback_types = ["${READ_TYPE}"]

[[recommend.non-personalized]]
name = "popular"
score = "count(feedback, .FeedbackType == '${TARGET_TYPE}')"

[[recommend.item-to-item]]
name = "neighbors"
type = "users"

[[recommend.user-to-user]]
name = "neighbors"
type = "items"

[recommend.collaborative]
type = "mf"

[recommend.ranker]
type = "fm"
recommenders = ["latest", "collaborative", "non-personalized/popular", "item-to-item/neighbors", "user-to-user/neighbors"]

[recommend.fallback]
recommenders = ["item-to-item/neighbors", "latest"]

[blob]
uri = "${join(home, 'blob')}"
`;

async function upload(url: string, file: string): Promise<void> {
  const form = new FormData();
  form.set('file', await openAsBlob(file), 'file.jsonl');
  const response = await fetch(url, { method: 'POST', body: form });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + WAIT_MS;
  while (performance.now() < endMs) {
    if (await isDone().catch(() => false)) return;
    await sleep(250);
  }
  throw new Error(`Gorse was not done after ${WAIT_MS / 60_000} minutes`);
}
