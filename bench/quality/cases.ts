// What is measured, how, and what we hold ourselves to; protocols are those of the data's own page.
import type { Asked, Shop } from './shop-splits.ts';
import { GROCERIES, ONLINE_RETAIL, shopParts, TAOBAO, TARGET, TMALL } from './shop-splits.ts';
import {
  BEAUTY_NEXT,
  type EvaluateOptions,
  GOWALLA,
  isThere,
  MOVIELENS_NEXT,
  type Quality,
  type SplitFiles,
  YELP,
} from './splits.ts';

export interface Published extends Quality {
  name: string;
}

export interface QualityCase {
  name: string;
  /** null where the data is missing */
  parts: () => Promise<readonly SplitFiles[] | null>;
  options: EvaluateOptions;
  format: 'lines' | 'sequences' | 'csv';
  /** what peers leave out of their lists */
  exclude: 'had' | 'touched' | 'none';
  /** the test is no sample of what a model can hold out of its own events: what it reports answers another question */
  isOtherQuestion?: boolean;
  /** seconds on two free cores: processor time may be twice that */
  bar: { recall?: number; ndcg?: number; seconds?: number };
  published: Published[];
}

const BARS = 'BARS leaderboard (openbenchmark.github.io/BARS)';
const SEQUENTIAL = 'as in Petrov and Macdonald, RecSys 2023';

function publicCase(
  name: string,
  files: SplitFiles,
  about: Pick<QualityCase, 'options' | 'format' | 'bar' | 'published' | 'isOtherQuestion'>,
): QualityCase {
  const parts = async () => (isThere(`quality: ${name}`, files.train, files.test) ? [files] : null);
  return { name, parts, exclude: 'had', ...about };
}

/** `objective`: what lists are made for. */
function shopCase(
  of: Shop,
  protocol: 'time' | 'last',
  asked: Asked,
  { ndcg, objective }: { ndcg?: number; objective: 'discover' | 'again' | 'any' },
): QualityCase {
  const name = `${of.name}, ${protocol}, ${asked}${asked === objective ? ' (objective again)' : ''}`;
  return {
    name,
    parts: async () => (isThere(`quality: ${name}`, of.file) ? shopParts(of, protocol, asked) : null),
    options: { cutoff: 10, targetEventType: TARGET, objective, isReported: asked !== 'again' || objective === 'again' },
    format: 'csv',
    exclude: asked === 'discovered' ? 'touched' : 'none',
    bar: ndcg === undefined ? {} : { ndcg },
    published: [],
  };
}

export const CASES: readonly QualityCase[] = [
  publicCase('ml1m-next', MOVIELENS_NEXT, {
    options: { cutoff: 10 },
    format: 'sequences',
    bar: { recall: 0.322, ndcg: 0.192, seconds: 60 },
    published: [
      { name: `SASRec (${SEQUENTIAL})`, recall: 0.2392, ndcg: 0.1259 },
      { name: 'gSASRec (Petrov and Macdonald, RecSys 2023)', recall: 0.3003, ndcg: 0.1726 },
    ],
  }),
  publicCase('beauty-next', BEAUTY_NEXT, {
    options: { cutoff: 10 },
    format: 'sequences',
    bar: { recall: 0.071, ndcg: 0.045 },
    published: [
      { name: 'BERT4Rec', recall: 0.0338, ndcg: 0.0187 },
      { name: 'SASRec+', recall: 0.0533, ndcg: 0.0327 },
      { name: 'RecTools SASRec', recall: 0.0595, ndcg: 0.0359 },
    ],
  }),
  publicCase('gowalla, set', GOWALLA, {
    options: { cutoff: 20, reading: 'set', horizon: 'later' },
    isOtherQuestion: true,
    format: 'lines',
    bar: { recall: 0.194, ndcg: 0.161, seconds: 90 },
    published: [
      { name: `EASE, ${BARS}`, recall: 0.1765, ndcg: 0.1467 },
      { name: 'LightGCN (He et al., SIGIR 2020)', recall: 0.182, ndcg: 0.1547 },
      { name: 'GF-CF (Shen et al., CIKM 2021)', recall: 0.1849, ndcg: 0.1518 },
      { name: 'UltraGCN (Mao et al., CIKM 2021)', recall: 0.1862, ndcg: 0.158 },
      { name: 'SimpleX (Mao et al., CIKM 2021)', recall: 0.1872, ndcg: 0.1557 },
    ],
  }),
  // The published methods do not use order: this reading has more to go on.
  publicCase('gowalla, order', GOWALLA, {
    options: { cutoff: 20, reading: 'order', horizon: 'later' },
    isOtherQuestion: true,
    format: 'lines',
    bar: { recall: 0.205, ndcg: 0.173, seconds: 90 },
    published: [],
  }),
  publicCase('yelp2018, set', YELP, {
    options: { cutoff: 20, reading: 'set', horizon: 'later' },
    isOtherQuestion: true,
    format: 'lines',
    bar: { recall: 0.0715, ndcg: 0.059 },
    published: [
      { name: 'LightGCN', recall: 0.0653, ndcg: 0.0532 },
      { name: 'EASE', recall: 0.0657, ndcg: 0.0552 },
      { name: 'GF-CF', recall: 0.0697, ndcg: 0.0571 },
      { name: 'SimpleX', recall: 0.0701, ndcg: 0.0575 },
      { name: 'BSPM', recall: 0.072, ndcg: 0.0593 },
    ],
  }),
  shopCase(TMALL, 'last', 'discovered', { ndcg: 0.031, objective: 'discover' }),
  shopCase(TAOBAO, 'last', 'discovered', { ndcg: 0.07, objective: 'discover' }),
  shopCase(TMALL, 'time', 'discovered', { ndcg: 0.0146, objective: 'discover' }),
  shopCase(TAOBAO, 'time', 'discovered', { ndcg: 0.057, objective: 'discover' }),
  shopCase(ONLINE_RETAIL, 'time', 'discovered', { ndcg: 0.11, objective: 'discover' }),
  shopCase(ONLINE_RETAIL, 'time', 'all', { ndcg: 0.37, objective: 'any' }),
  // Lists of everything, of which only what was bought again counts: a question that models do not report.
  shopCase(ONLINE_RETAIL, 'time', 'again', { ndcg: 0.47, objective: 'any' }),
  shopCase(ONLINE_RETAIL, 'time', 'again', { objective: 'again' }),
  shopCase(GROCERIES, 'time', 'all', { objective: 'any' }),
  shopCase(GROCERIES, 'time', 'discovered', { objective: 'discover' }),
];
