// The steps of a recommendation that traces show, see ARCHITECTURE.md. Called once if tracing is on.
import { traceMethods } from '../base/trace.ts';
import { ServedLists } from '../outcomes/served-lists.ts';
import { TouchReader } from '../placements/touch-reader.ts';
import { G1Recommender } from '../scoring/g1-recommender.ts';
import { KernelScorer } from '../scoring/scorer.ts';
import { TopSearch } from '../scoring/top-search.ts';
import { CallFilters } from './call-filters.ts';
import { CallRooms } from './call-room.ts';
import { CatalogFollower } from './catalog-follower.ts';
import { DeployedModels } from './deployed-models.ts';
import { FilterSets } from './filter-sets.ts';
import { ItemTexts } from './item-texts.ts';
import { ListResponses } from './list-responses.ts';
import { ModelCache } from './model-cache.ts';
import { RecommendCall } from './recommend.ts';
import { UserChanges } from './user-changes.ts';
import { UserRankings } from './user-rankings.ts';

export function traceServing(): void {
  traceMethods(RecommendCall.prototype, { respond: 'recommend' });
  traceMethods(CallRooms.prototype, { within: 'take turns' });
  traceMethods(DeployedModels.prototype, { deploymentFor: 'find deployment' });
  traceMethods(ModelCache.prototype, { load: 'load model' });
  traceMethods(ListResponses.prototype, { respond: 'list' });
  traceMethods(CallFilters.prototype, { compile: 'compile filter', foldAll: 'fold filters' });
  traceMethods(UserRankings.prototype, { best: 'ranking', make: 'new ranking' });
  traceMethods(UserChanges.prototype, { follow: 'follow events' });
  traceMethods(CatalogFollower.prototype, { follow: 'follow catalog' });
  traceMethods(FilterSets.prototype, { select: 'select items' });
  traceMethods(TouchReader.prototype, { read: 'touches' });
  traceMethods(G1Recommender.prototype, { top: 'score', related: 'related items' });
  traceMethods(TopSearch.prototype, { find: 'search best' });
  traceMethods(KernelScorer.prototype, {
    top: 'score history',
    scoreAll: 'score history',
    scoreItems: 'score history',
  });
  traceMethods(ItemTexts.prototype, { of: 'item texts' });
  traceMethods(ServedLists.prototype, { count: 'note served list' });
}
