// Quality of the default on public splits and real shops, through `kindred evaluate`, compared with popularity, cosine kNN, EASE and ALS
// (which get the setting that is best on the test itself) and with what others have published on the same split.
//   npm run bench -- quality                      all cases
//   npm run bench -- quality --only=tmall,next    those whose name contains one of the words
import { CASES, type QualityCase } from './quality/cases.ts';
import type { Interval } from './quality/intervals.ts';
import { type PeerQuality, peersOn } from './quality/peers.ts';
import { implicitVersion } from './quality/python.ts';
import { besideAnother, type Evaluated, evaluateAll, type Figure, inWords } from './quality/splits.ts';
import { quick, report } from './report.ts';

const PEERS = ['popularity', 'cosine', 'EASE', 'ALS'];
const ONLY = '--only=';
const only = process.argv.find((word) => word.startsWith(ONLY));
const words = only === undefined ? [] : only.slice(ONLY.length).split(',');

interface Measured {
  of: QualityCase;
  ours: Evaluated;
  peers: Record<string, PeerQuality>;
}

async function measure(of: QualityCase, hasPeers: boolean): Promise<Measured | null> {
  const parts = await of.parts();
  if (parts === null) return null;
  const ours = evaluateAll(parts, of.options);
  const peers = hasPeers ? peersOn(of, parts) : {};
  const rivals = Object.entries(peers).sort(([, a], [, b]) => b.ndcg - a.ndcg);
  const [name, best] = rivals[0] ?? ['popularity', ours.popularity];
  const { recall = 0, ndcg = 0, seconds = Number.POSITIVE_INFINITY } = of.bar;
  const figures = [`${inWords(ours, of.options.cutoff)} (95%: ${between(ours.interval)})`];
  for (const [peer, theirs] of rivals) figures.push(`${peer} ${theirs.ndcg.toFixed(4)}`);
  report({
    bench: 'quality',
    what: of.name,
    ratio: ours.ndcg / best.ndcg,
    base: `${name}, the best peer by NDCG`,
    figures: [...figures, timeOf(ours), `${ours.peakMb} MB`].join(', '),
    bar: Object.entries(of.bar)
      .map(([what, least]) => (what === 'seconds' ? `${least} s of two cores` : `${what} ${least}`))
      .join(', '),
    met: ours.recall >= recall && ours.ndcg >= ndcg && ours.processorSeconds <= 2 * seconds,
  });
  if (ours.reported !== null) {
    const { own, measured } = ours.reported;
    report({
      bench: 'quality',
      what: `NDCG@10 that the model reports, ${of.name}`,
      ratio: own.mean / measured.mean,
      base: 'what was measured later',
      figures: `${own.mean.toFixed(4)} (${between(own.interval)}) reported, ${measured.mean.toFixed(4)} (${between(measured.interval)}) measured`,
      ...(of.isOtherQuestion
        ? { bar: 'none: the test is no sample of the events, so the two answer different questions' }
        : { bar: 'within the intervals', met: agrees(ours.reported) }),
    });
  }
  for (const theirs of of.published) {
    report({
      bench: 'quality',
      what: `NDCG, ${of.name}`,
      ...besideAnother(ours, theirs, `${theirs.name}, as published`, of.options.cutoff),
    });
  }
  return { of, ours, peers };
}

const timeOf = ({ seconds, processorSeconds }: Evaluated): string =>
  `${seconds.toFixed(0)} s (processor ${processorSeconds.toFixed(0)} s)`;
const between = ([low, high]: Interval): string => `${low.toFixed(4)} to ${high.toFixed(4)}`;

function table(all: readonly Measured[]): string {
  const head = ['data', 'Recall', 'NDCG', '95% of NDCG', 'bar', ...PEERS, 'seconds', 'processor', 'MB', 'users'];
  const rows = all.map(({ of, ours, peers }) => [
    `${of.name} @${of.options.cutoff}`,
    ours.recall.toFixed(4),
    ours.ndcg.toFixed(4),
    between(ours.interval),
    [of.bar.recall, of.bar.ndcg].filter(Boolean).join('/'),
    ...PEERS.map((name) => peers[name]?.ndcg.toFixed(4) ?? '–'),
    ours.seconds.toFixed(0),
    ours.processorSeconds.toFixed(0),
    String(ours.peakMb),
    String(ours.users),
  ]);
  return columns([head, ...rows]);
}

/** Whether what a model says of itself and what was measured later differ by no more than both intervals allow. */
function agrees({ own, measured }: NonNullable<Evaluated['reported']>): boolean {
  const half = ({ interval: [low, high] }: Figure) => (high - low) / 2;
  return Math.abs(own.mean - measured.mean) <= Math.hypot(half(own), half(measured));
}

function verdict({ isOtherQuestion }: QualityCase, reported: NonNullable<Evaluated['reported']>): string {
  if (isOtherQuestion) return 'another question';
  return agrees(reported) ? 'agree' : 'DIFFER';
}

function reportedTable(all: readonly Measured[]): string {
  const figure = ({ mean, interval, count }: Figure) => `${mean.toFixed(4)} (${between(interval)}; ${count})`;
  const rows = all.map(({ of, ours: { reported } }) =>
    reported === null
      ? [of.name, '–', '–', '–']
      : [of.name, figure(reported.own), figure(reported.measured), verdict(of, reported)],
  );
  return columns([['data', 'NDCG@10 reported (95%; questions)', 'measured later', ''], ...rows]);
}

function columns(rows: readonly string[][]): string {
  const widths = rows[0].map((_, n) => Math.max(...rows.map((row) => row[n].length)));
  return rows.map((row) => row.map((cell, n) => cell.padEnd(widths[n])).join('  ')).join('\n');
}

if (quick) process.stdout.write('quality: left out of a quick run: the public splits take minutes\n');
else {
  const hasPeers = implicitVersion('quality: cosine kNN, EASE and ALS') !== null;
  const measured: Measured[] = [];
  for (const of of CASES) {
    if (words.length > 0 && !words.some((word) => of.name.includes(word))) continue;
    const one = await measure(of, hasPeers);
    if (one !== null) measured.push(one);
  }
  process.stdout.write(`\n${table(measured)}\n\n${reportedTable(measured)}\n`);
}
