// Quality of the default on public splits, through `kindred evaluate`, beside what others have published on the same split.
import {
  besideAnother,
  besidePopularity,
  evaluate,
  GOWALLA,
  isThere,
  MOVIELENS_NEXT,
  type Quality,
  type SplitFiles,
} from './quality/splits.ts';
import { quick, report } from './report.ts';

interface Published extends Quality {
  name: string;
}

interface SplitCase {
  name: string;
  files: SplitFiles;
  cutoff: number;
  reading: 'auto' | 'set' | 'order';
  bar: Quality & { seconds: number };
  published: Published[];
}

const BARS = 'BARS leaderboard (openbenchmark.github.io/BARS)';
const ON_GOWALLA: Published[] = [
  { name: `EASE, ${BARS}`, recall: 0.1765, ndcg: 0.1467 },
  { name: 'LightGCN (He et al., SIGIR 2020)', recall: 0.182, ndcg: 0.1547 },
  { name: 'GF-CF (Shen et al., CIKM 2021)', recall: 0.1849, ndcg: 0.1518 },
  { name: 'UltraGCN (Mao et al., CIKM 2021)', recall: 0.1862, ndcg: 0.158 },
  { name: 'SimpleX (Mao et al., CIKM 2021)', recall: 0.1872, ndcg: 0.1557 },
];
const ON_MOVIELENS: Published[] = [
  { name: 'SASRec (as in Petrov and Macdonald, RecSys 2023)', recall: 0.2392, ndcg: 0.1259 },
  { name: 'gSASRec (Petrov and Macdonald, RecSys 2023)', recall: 0.3003, ndcg: 0.1726 },
];

const CASES: SplitCase[] = [
  {
    ...{ name: 'gowalla, set', files: GOWALLA, cutoff: 20, reading: 'set' },
    ...{ bar: { recall: 0.191, ndcg: 0.158, seconds: 120 }, published: ON_GOWALLA },
  },
  {
    // The published methods do not use order: this reading has more to go on.
    ...{ name: 'gowalla, order', files: GOWALLA, cutoff: 20, reading: 'order' },
    ...{ bar: { recall: 0.201, ndcg: 0.169, seconds: 120 }, published: [] },
  },
  {
    ...{ name: 'MovieLens-1M, next item', files: MOVIELENS_NEXT, cutoff: 10, reading: 'auto' },
    ...{ bar: { recall: 0.295, ndcg: 0.174, seconds: 60 }, published: ON_MOVIELENS },
  },
];

for (const { name, files, cutoff, reading, bar, published } of quick ? [] : CASES) {
  if (!isThere(`quality: ${name}`, files)) continue;
  const ours = evaluate(files, cutoff, reading);
  report({
    bench: 'quality',
    what: name,
    ...besidePopularity(ours, cutoff),
    bar: `recall ${bar.recall}, ndcg ${bar.ndcg}, ${bar.seconds} s`,
    met: ours.recall >= bar.recall && ours.ndcg >= bar.ndcg && ours.seconds <= bar.seconds,
  });
  for (const theirs of published) {
    report({
      bench: 'quality',
      what: `NDCG, ${name}`,
      ...besideAnother(ours, theirs, `${theirs.name}, as published`, cutoff),
    });
  }
}
if (quick) process.stdout.write('quality: left out of a quick run: the public splits take minutes\n');
