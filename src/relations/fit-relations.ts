// From events to the rows of the three relations: a few shapes are tried on visits without the hidden ones, the best is measured
// on questions that took no part in the choice, and then fitted on all visits. A relation that the data cannot show has no rows:
// without any order there is no `next`, and where every event is its own visit there is no `together`.
import type { RelationRows, SparseRows } from '../artifact/g1-model.ts';
import type { EventTable } from '../dataset/event-table.ts';
import { gatherUsers, sampleUsers } from '../dataset/sample-users.ts';
import type { TrainingEvents } from '../dataset/training-events.ts';
import { firstAsGood } from '../domain/compare.ts';
import type { Relation, RelationMetrics } from '../domain/relation.ts';
import { timeScaleOf, visitGapMs } from '../history/visits.ts';
import type { KernelPool } from '../kernels/kernel-pool.ts';
import {
  askedItems,
  byCosine,
  byPopularity,
  byRows,
  figuresOf,
  figuresOfEach,
  popularityIn,
} from './measure-relations.ts';
import { askRelations, type RelationQuestion } from './relation-questions.ts';
import { addedRows, type RowShape, relationRows } from './relation-rows.ts';
import { buildVisits, type VisitMatrix } from './visit-matrix.ts';

export interface FittedRelations {
  readonly rows: RelationRows;
  readonly metrics: Partial<Record<Relation, RelationMetrics>>;
}

/** The visits that relations are made of. */
interface Visits {
  readonly bought: VisitMatrix;
  readonly looked: VisitMatrix;
  readonly touched: VisitMatrix;
  /** treats all events of a user as one visit */
  readonly users: VisitMatrix;
}

/** A way to make rows of a relation. */
type Recipe = (pool: KernelPool, visits: Visits, rowItems: Uint32Array) => Promise<SparseRows>;

const DELTAS = [0.25, 0, 0.5];
const HARMONIC = [0, 1, 1 / 2, 1 / 3, 1 / 4, 1 / 5];
/** Above this number a sample of users is used, because four matrices of visits are in memory at once. */
const MOST_EVENTS = 25_000_000;
/** With fewer questions nothing is chosen. */
const MIN_QUESTIONS = 40;
const MIN_PAIRED_VISITS = 20;
/** A recipe within this many standard errors of the best counts as equally good. The first of these is taken. */
const ALIKE_ERRORS = 1;

const rowsOf =
  (of: keyof Visits, shape: RowShape): Recipe =>
  (pool, visits, rowItems) =>
    relationRows(pool, visits[of], shape, rowItems);

const bothOf =
  (a: Recipe, b: Recipe): Recipe =>
  async (...input) =>
    addedRows(await a(...input), await b(...input));

const sameVisit = (delta: number): RowShape => ({ omegas: [1], gamma: 0.5, delta });
const sameUser = (delta: number): RowShape => ({ omegas: [1], gamma: 1, delta });
const later = (delta: number): RowShape => ({ omegas: HARMONIC, gamma: 0.5, delta });

const lookedAt = (delta: number): Recipe => rowsOf('looked', sameVisit(delta));
const hadByUsers = (delta: number): Recipe => rowsOf('users', sameUser(delta));

/**
 * Recipes to try for each relation. The first is used unless another is clearly better. Users look at alternatives in one visit.
 */
const RECIPES: Readonly<Record<Relation, readonly Recipe[]>> = {
  similar: DELTAS.flatMap((delta) => [lookedAt(delta), bothOf(lookedAt(delta), hadByUsers(delta)), hadByUsers(delta)]),
  together: DELTAS.map((delta) => rowsOf('bought', sameVisit(delta))),
  next: DELTAS.flatMap((delta) => [
    rowsOf('bought', later(delta)),
    rowsOf('bought', { ...later(delta), omegas: [0, 1] }),
    bothOf(rowsOf('bought', later(delta)), rowsOf('touched', later(delta))),
  ]),
};

/** Recipes for data with too few questions to choose by. With few visits, users are counted too. */
const UNJUDGED: Readonly<Record<Relation, Recipe>> = {
  similar: bothOf(lookedAt(DELTAS[0]), hadByUsers(DELTAS[0])),
  together: RECIPES.together[0],
  next: RECIPES.next[0],
};

export async function fitRelations(pool: KernelPool, events: TrainingEvents, seed: number): Promise<FittedRelations> {
  const table = await gatherUsers(events, sampleUsers(events, MOST_EVENTS, seed));
  const { memory } = pool;
  const scale = timeScaleOf(table.ts, table.userOffsets);
  const gapMs = visitGapMs(scale);
  const { hidden, questions } = askRelations(table, gapMs, seed);
  const mark = memory.mark();
  const visible = visitsOf(pool, table, gapMs, (event) => hidden[event] === 0);
  const chosen: { relation: Relation; recipe: Recipe }[] = [];
  const metrics: FittedRelations['metrics'] = {};
  for (const relation of shownBy(visible, scale !== 'set')) {
    const popularity = popularityIn(relation === 'similar' ? visible.looked : visible.bought);
    const own = questions[relation];
    const measure = async (recipe: Recipe, some: readonly RelationQuestion[]) =>
      byRows(relation, await recipe(pool, visible, askedItems(some)), popularity);
    const judges = halfOf(own, 0);
    const judged: { recipe: Recipe; own: Float64Array }[] = [];
    for (const recipe of judges.length < MIN_QUESTIONS / 2 ? [] : RECIPES[relation]) {
      judged.push({ recipe, own: figuresOfEach(await measure(recipe, judges), judges).ndcgs });
    }
    const recipe = judged.length === 0 ? UNJUDGED[relation] : firstAsGood(judged, ALIKE_ERRORS).recipe;
    chosen.push({ relation, recipe });
    if (own.length < MIN_QUESTIONS) continue;
    const half = halfOf(own, 1);
    metrics[relation] = {
      questions: half.length,
      ...figuresOf(await measure(recipe, half), half),
      cosine: figuresOf(byCosine(visible.users), half),
      popularity: figuresOf(byPopularity(popularity), half),
    };
  }
  memory.release(mark);
  const all = visitsOf(pool, table, gapMs, () => true);
  const everyItem = Uint32Array.from({ length: table.itemCount }, (_, item) => item);
  const rows: { [relation in Relation]?: SparseRows } = {};
  for (const { relation, recipe } of chosen) rows[relation] = await recipe(pool, all, everyItem);
  memory.release(mark);
  return { rows, metrics };
}

function visitsOf(pool: KernelPool, table: EventTable, gapMs: number, isVisible: (event: number) => boolean): Visits {
  const build = (gap: number, takes: (event: number) => boolean) =>
    buildVisits(pool.memory, table, { gapMs: gap, takes: (event) => isVisible(event) && takes(event) });
  const isTarget = (event: number) => table.type[event] === table.targetType;
  const looked = build(gapMs, (event) => !isTarget(event));
  const touched = build(gapMs, () => true);
  return {
    bought: build(gapMs, isTarget),
    // If there are too few views, all events show which items users compare.
    looked: pairedVisits(looked) < MIN_PAIRED_VISITS ? touched : looked,
    touched,
    users: build(Number.POSITIVE_INFINITY, () => true),
  };
}

/** Relations that the visits can show. */
function shownBy({ bought }: Visits, isOrdered: boolean): Relation[] {
  const relations: Relation[] = ['similar'];
  if (pairedVisits(bought) >= MIN_PAIRED_VISITS) relations.push('together');
  if (isOrdered) relations.push('next');
  return relations;
}

/** Visits with more than one item. */
function pairedVisits({ visitCount, offsets }: VisitMatrix): number {
  let count = 0;
  for (let visit = 0; visit < visitCount; visit++) if (offsets[visit + 1] - offsets[visit] > 1) count++;
  return count;
}

function halfOf<T>(list: readonly T[], half: 0 | 1): T[] {
  return list.filter((_, n) => n % 2 === half);
}
