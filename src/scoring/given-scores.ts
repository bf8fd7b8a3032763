// Scores of given items for a user: those by which a list is ordered, whether or not the items would be in it.
import type { ItemBitmap } from '../catalog/item-set.ts';
import type { ColdItems } from '../cold-start/cold-items.ts';
import { type Boost, logBoost } from './boost.ts';
import type { TopSearch } from './top-search.ts';
import type { ScoreQuestion, UserScores } from './user-scores.ts';
import { NOT_WARM, type WarmItems } from './warm-items.ts';

export interface GivenScoresParts {
  readonly scores: UserScores;
  readonly search: TopSearch;
  readonly items: WarmItems;
  readonly coldItems: ColdItems;
}

export interface GivenItems {
  /** catalog numbers of the items */
  readonly items: ArrayLike<number>;
  readonly boosts: readonly Boost[];
  /** the items among which a ranker's scores are placed */
  readonly listed: ItemBitmap;
}

export function givenScores(
  { scores, search, items: warmItems, coldItems }: GivenScoresParts,
  question: ScoreQuestion,
  { items, boosts, listed }: GivenItems,
): Float32Array {
  const out = new Float32Array(items.length);
  scores.score(question);
  const indices = Array.from(items, (item) => warmItems.indexOf(item));
  const scale = scores.isRanked(question) ? search.rankedScale(question, listed) : null;
  const warm = Uint32Array.from(indices.filter((index) => index !== NOT_WARM));
  const joined = scale === null ? null : scores.joined(question);
  const groups = scores.groups(joined);
  const ranked = scale === null ? null : scores.ranked(question, warm, joined);
  const unit = scores.boostUnit(question.state, scale !== null);
  let next = 0;
  for (let n = 0; n < items.length; n++) {
    if (indices[n] !== NOT_WARM) out[n] = ranked === null ? scores.warm[indices[n]] : ranked[next++];
    else {
      const group = coldItems.groupOf(items[n]);
      const plain = groups.plain(group);
      out[n] = scale === null ? plain : scale.of(plain) + groups.joined(group);
    }
    if (boosts.length > 0) out[n] += unit * logBoost(boosts, items[n]);
  }
  return out;
}
