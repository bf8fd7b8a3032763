// The kernels: pure functions over shared memory. No kernel allocates or keeps state; every pointer is given by the caller,
// and a kernel that works on rows [from, to) writes only what belongs to those rows and its own scratch.
export { cooccurrenceRows } from './cooccurrence';
export { transitionRows } from './transitions';
export { visitRows } from './visits';
export { localRidgeRows } from './local-ridge';
export { selectTop } from './select';
export { scaleSelectRows } from './scale-select';
export { projectRows } from './project-rows';
export { subtractProducts } from './subtract-products';
export { sumUp, scoreHistory, allItems, clearScores } from './score';
export { bestOfAll, itemsAbove, topItems } from './top-items';
export { collectCandidates } from './candidates';
export { recommendUsers } from './recommend';
export { bestRanked, rankGiven } from './rank';
export { gatherFeatures, choiceGradient } from './rank-training';
export { nearestCentroids } from './nearest-centroid';
export { squaredDistances } from './distances';
export { tasteVectors } from './taste';
export { usageBase, usageUsers } from './usage';
export { columnsTimesDense, gramOfTall, rowsTimesDense, tallTimesUpper } from './dense';
