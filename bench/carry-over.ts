// Whether the default carries over to splits it was not built on: further splits of the public data, made here, with cosine
// kNN, EASE and ALS next to it, each at the setting that is best on the test (bench/peers/classics.py).
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hash32 } from '../src/dataset/random.ts';
import { peersOn } from './quality/peers.ts';
import { implicitVersion } from './quality/python.ts';
import {
  BEAUTY_NEXT,
  besideAnother,
  besidePopularity,
  evaluate,
  GOWALLA,
  isThere,
  MOVIELENS_NEXT,
  readLines,
  type SplitFiles,
} from './quality/splits.ts';
import { quick, report } from './report.ts';

const CUTOFF = 20;
const TEST_SHARE = 0.2;

/** Whether an event goes into the test file, by the user's number, the event's place and how many the user has. */
type Rule = (user: number, place: number, count: number) => boolean;
const random: Rule = (user, place) => hash32(hash32(1, user), place) / 2 ** 32 < TEST_SHARE;
const latest: Rule = (_user, place, count) => place >= count - Math.max(1, Math.floor(count * TEST_SHARE));
const last: Rule = (_user, place, count) => place === count - 1;

/** A data set, all events of a user in one list. */
interface Source {
  readonly name: string;
  readonly files: SplitFiles;
  read(): Map<string, string[]>;
}

const MOVIELENS: Source = { name: 'MovieLens-1M', files: MOVIELENS_NEXT, read: () => historiesOf(MOVIELENS_NEXT) };
const BEAUTY: Source = { name: 'Beauty', files: BEAUTY_NEXT, read: () => historiesOf(BEAUTY_NEXT) };
/** Its test file has no order. */
const CHECKINS: Source = { name: 'gowalla, train alone', files: GOWALLA, read: () => readLines(GOWALLA.train, true) };

const SPLITS: readonly [source: Source, what: string, rule: Rule, reading: 'set' | 'order'][] = [
  [MOVIELENS, 'random fifth', random, 'set'],
  [MOVIELENS, 'latest fifth', latest, 'order'],
  [BEAUTY, 'random fifth', random, 'set'],
  [BEAUTY, 'latest fifth', latest, 'order'],
  [CHECKINS, 'latest fifth', latest, 'order'],
  [CHECKINS, 'next item', last, 'order'],
];

function historiesOf({ train, test }: SplitFiles): Map<string, string[]> {
  const users = readLines(train, false);
  for (const [user, items] of readLines(test, false)) users.get(user)?.push(...items);
  return users;
}

function makeSplit(folder: string, users: Map<string, string[]>, isTest: Rule): SplitFiles {
  const files = { train: join(folder, 'train.txt'), test: join(folder, 'test.txt') };
  const lines: { train: string[]; test: string[] } = { train: [], test: [] };
  for (const [user, all] of users) {
    const items = [...new Set(all)];
    const parts: { train: string[]; test: string[] } = { train: [], test: [] };
    for (const [place, item] of items.entries())
      parts[isTest(Number(user), place, items.length) ? 'test' : 'train'].push(item);
    // Who has nothing left to learn from, or nothing to be tested by, takes no part.
    if (parts.train.length === 0 || parts.test.length === 0) continue;
    for (const part of ['train', 'test'] as const) lines[part].push(`${user} ${parts[part].join(' ')}`);
  }
  for (const part of ['train', 'test'] as const) writeFileSync(files[part], `${lines[part].join('\n')}\n`);
  return files;
}

function compare(name: string, files: SplitFiles, reading: 'set' | 'order', hasPeers: boolean): void {
  const ours = evaluate(files, { cutoff: CUTOFF, reading });
  report({
    bench: 'carry-over',
    what: name,
    ...besidePopularity(ours, CUTOFF),
  });
  if (!hasPeers) return;
  const peers = peersOn({ format: 'lines', exclude: 'had', options: { cutoff: CUTOFF } }, [files]);
  for (const [peer, theirs] of Object.entries(peers)) {
    report({
      bench: 'carry-over',
      what: `NDCG, ${name}`,
      ...besideAnother(ours, theirs, `${peer} at its best setting`, CUTOFF),
      bar: 'above 1, in recall too',
      met: ours.ndcg > theirs.ndcg && ours.recall > theirs.recall,
    });
  }
}

function run(): void {
  const hasPeers = implicitVersion('carry-over: cosine kNN, EASE and ALS') !== null;
  const folder = mkdtempSync(join(tmpdir(), 'kindred-splits-'));
  try {
    for (const [{ name, files, read }, what, rule, reading] of SPLITS) {
      if (!isThere(`carry-over: ${name}`, files.train, files.test)) continue;
      compare(`${name}, ${what}`, makeSplit(folder, read(), rule), reading, hasPeers);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (quick) process.stdout.write('carry-over: left out of a quick run: it takes minutes\n');
else run();
