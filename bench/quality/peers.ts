// Popularity, cosine kNN, EASE and ALS on the same files (bench/peers/classics.py). What they reached is cached: it changes only
// with the script and the files.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { QualityCase } from './cases.ts';
import { bootstrap, type Interval, meanOf } from './intervals.ts';
import { runPeer } from './python.ts';
import { cacheDir, type Quality, type SplitFiles } from './splits.ts';

export interface PeerQuality extends Quality {
  /** of the NDCG, 95% */
  interval: Interval;
}

/** By user of the test. */
type PerUser = Record<string, { recall: number[]; ndcg: number[] }>;

export type PeerCase = Pick<QualityCase, 'format' | 'exclude'> & {
  options: { cutoff: number; targetEventType?: string };
};

export function peersOn(about: PeerCase, parts: readonly SplitFiles[]): Record<string, PeerQuality> {
  const each = parts.map((part) => perUserOf(about, part));
  const names = Object.keys(each[0]);
  return Object.fromEntries(
    names.map((name) => {
      const recall = each.flatMap((part) => part[name].recall);
      const ndcg = each.flatMap((part) => part[name].ndcg);
      return [name, { recall: meanOf(recall), ndcg: meanOf(ndcg), interval: bootstrap(ndcg) }];
    }),
  );
}

function perUserOf({ format, exclude, options }: PeerCase, part: SplitFiles): PerUser {
  const { cutoff, targetEventType: target } = options;
  const request = JSON.stringify({ ...part, format, exclude, cutoff, target });
  const script = readFileSync(new URL('../peers/classics.py', import.meta.url));
  const sizes = [part.train, part.test].map((file) => statSync(file).size);
  const key = createHash('sha256').update(request).update(script).update(sizes.join()).digest('hex').slice(0, 16);
  const path = join(cacheDir, `peers-${key}.json`);
  if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8'));
  const result = runPeer<PerUser>('classics.py', [request]);
  mkdirSync(cacheDir, { recursive: true });
  writeFileSync(path, JSON.stringify(result));
  return result;
}
