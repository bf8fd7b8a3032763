// Finds items related to items: by the rows of a relation (src/relations), by similar attributes, and by popularity. An
// item without events leads where the items most similar to it lead. Belongs to one thread.
import type { RelationRows, SparseRows } from '../artifact/g1-model.ts';
import { TopItems } from '../base/top-items.ts';
import { eachIn, type ItemBitmap } from '../catalog/item-set.ts';
import type { ColdItems } from '../cold-start/cold-items.ts';
import type { Relation } from '../domain/relation.ts';
import {
  bestRelated,
  type RelatedScores,
  relatedScores,
  type ScoreFactors,
  type WeighedRow,
} from '../relations/related-scores.ts';

/** Weight of similarity by attributes for `similar`, next to rows that go up to 1. */
const LIKENESS_WEIGHT = 0.5;
/** The relation to use instead if the data cannot show this one. */
const STANDS_FOR: Readonly<Record<Relation, Relation | null>> = {
  next: 'together',
  together: 'similar',
  similar: null,
};

export interface RelatedParts {
  readonly relations: RelationRows;
  readonly coldItems: ColdItems;
  /** catalog number of warm item m */
  readonly itemOfWarm: Uint32Array;
  /** warm index of a catalog number; −1: the item has no events */
  readonly warmOf: (item: number) => number;
  /** popularity of warm items; larger is more popular */
  readonly popularity: Float32Array;
  /** warm items, the most popular first */
  readonly byPopularity: Uint32Array;
}

export interface RelatedQuestion {
  /** catalog numbers of the question's items */
  readonly items: readonly number[];
  readonly relation: Relation;
  readonly limit: number;
  /** has every item that is allowed */
  readonly allow: ItemBitmap;
  readonly isAllowed: (item: number) => boolean;
  /** by catalog number; if left out, 1 for every item */
  readonly factors?: ScoreFactors;
}

export interface RelatedFound {
  /** the relation the list follows */
  readonly relation: Relation;
  /** catalog numbers, best first, without the items of the question */
  readonly items: readonly {
    readonly item: number;
    /** the score before the factor */
    readonly score: number;
    readonly factor: number;
  }[];
}

export class RelatedItems {
  readonly #parts: RelatedParts;
  readonly #popularity: { of: (warm: number) => number; order: Uint32Array };
  /** scores by warm item, all 0 between two calls */
  readonly #warmScores: Float32Array;
  readonly #top = new TopItems();

  constructor(parts: RelatedParts) {
    this.#parts = parts;
    const { popularity, byPopularity } = parts;
    const most = byPopularity.length === 0 ? 0 : popularity[byPopularity[0]];
    this.#popularity = {
      of: (warm) => (most > 0 ? popularity[warm] / most : 0),
      order: byPopularity,
    };
    this.#warmScores = new Float32Array(popularity.length);
  }

  top({ items, relation: asked, limit, allow, isAllowed, factors }: RelatedQuestion): RelatedFound {
    const { itemOfWarm } = this.#parts;
    const { relation, rows } = this.#rowsFor(asked);
    const related = this.#scoresOf(items, 1 / items.length, relation, rows);
    const own = new Set(items);
    const mayBeListed = (item: number) => !own.has(item) && isAllowed(item);
    const warm = bestRelated(related, this.#popularity, {
      limit,
      isAllowed: (index) => mayBeListed(itemOfWarm[index]),
      ...(factors && { factors: { most: factors.most, of: (index: number) => factors.of(itemOfWarm[index]) } }),
    });
    const found = warm.map(({ item, score, factor }) => ({ item: itemOfWarm[item], score, factor }));
    if (this.#parts.coldItems.count > 0) {
      const room = limit - found.length;
      found.push(...this.#coldOf(related, { limit, room, allow, isAllowed: mayBeListed, factors }));
    }
    // The sort is stable: of items with equal scores, those with events come first.
    found.sort((a, b) => b.score * b.factor - a.score * a.factor);
    return { relation, items: found.slice(0, limit) };
  }

  /** What each of the question's items adds to the score of a found item. The rest of the score is popularity. */
  reasons(
    { items, relation: asked }: Pick<RelatedQuestion, 'items' | 'relation'>,
    found: readonly { readonly item: number; readonly score: number }[],
  ) {
    const { relation, rows } = this.#rowsFor(asked);
    const byItem = items.map((item) => this.#scoresOf([item], 1 / items.length, relation, rows).scores);
    return found.map(({ item, score }) => {
      const rowsOf = Array.from(this.#scoredBy(item));
      const parts = byItem.map((scores) =>
        rowsOf.reduce((sum, row) => sum + (scores.get(row) ?? 0) / rowsOf.length, 0),
      );
      return { parts, popularity: score - parts.reduce((sum, part) => sum + part, 0) };
    });
  }

  memoryBytes(): number {
    const rows = Object.values(this.#parts.relations).flatMap(({ offsets, columns, values }) => [
      offsets,
      columns,
      values,
    ]);
    return [...rows, this.#popularity.order, this.#warmScores].reduce((sum, array) => sum + array.byteLength, 0);
  }

  #rowsFor(asked: Relation): { relation: Relation; rows: SparseRows } {
    for (let relation: Relation | null = asked; relation !== null; relation = STANDS_FOR[relation]) {
      const rows = this.#parts.relations[relation];
      if (rows !== undefined) return { relation, rows };
    }
    return { relation: 'similar', rows: NO_ROWS };
  }

  #scoresOf(items: readonly number[], weight: number, relation: Relation, rows: SparseRows): RelatedScores {
    const weighed = items.flatMap((item) => this.#weighedRows(item, weight));
    const related = relatedScores(relation, rows, weighed);
    if (relation === 'similar') for (const item of items) this.#addAlike(item, weight, related.scores);
    return related;
  }

  /** The item's own row, or those of the items most like it. */
  #weighedRows(item: number, weight: number): WeighedRow[] {
    const { warmOf, coldItems } = this.#parts;
    const warm = warmOf(item);
    if (warm >= 0) return [{ row: warm, weight }];
    const { warm: rows, likeness } = coldItems.alikeItems(item);
    // Squared, so that few items of the same kind count more than many that share a brand.
    const squares = likeness.map((own) => own ** 2);
    const sum = squares.reduce((total, square) => total + square, 0);
    return Array.from(rows, (row, n) => ({ row, weight: (weight * squares[n]) / sum }));
  }

  /** The rows whose mean score an item has in a list. */
  #scoredBy(item: number): ArrayLike<number> {
    const { warmOf, coldItems } = this.#parts;
    const warm = warmOf(item);
    return warm >= 0 ? [warm] : coldItems.groups.neighborsOf(coldItems.groupOf(item));
  }

  #addAlike(item: number, weight: number, scores: Map<number, number>): void {
    const { warm, likeness } = this.#parts.coldItems.alikeItems(item);
    for (let n = 0; n < warm.length; n++) {
      scores.set(warm[n], (scores.get(warm[n]) ?? 0) + LIKENESS_WEIGHT * weight * likeness[n]);
    }
  }

  /**
   * Items without events score what the items most like them do on average: the best of them, and as far as there is `room` those
   * that score nothing.
   */
  #coldOf({ scores }: RelatedScores, { limit, room, allow, isAllowed, factors }: ColdSearch): RelatedFound['items'] {
    const { coldItems } = this.#parts;
    const factorOf = (item: number) => factors?.of(item) ?? 1;
    const top = this.#top;
    top.start(limit, (place, other) => coldItems.order.compare(place, other));
    for (const [warm, score] of scores) this.#warmScores[warm] = score;
    const groupScores = new Map<number, number>();
    coldItems.groups.eachNear(scores.keys(), (group) => {
      const score = coldItems.groups.scoreOf(group, this.#warmScores, 0);
      if (score === 0) return;
      groupScores.set(group, score);
      coldItems.groups.eachItem(group, (place) => {
        const value = factors === undefined ? score : score * factorOf(coldItems.itemAt(place));
        if (top.admits(value, place) && isAllowed(coldItems.itemAt(place))) top.offer(value, place);
      });
    });
    for (const warm of scores.keys()) this.#warmScores[warm] = 0;
    const scoreAt = (place: number) => groupScores.get(coldItems.groupAt(place)) ?? 0;
    const fill = (place: number) => {
      if (scoreAt(place) === 0 && top.admits(0, place) && isAllowed(coldItems.itemAt(place))) top.offer(0, place);
    };
    if (allow.count ** 2 < room * coldItems.count) {
      eachIn(allow, (item) => {
        const place = coldItems.placeOf(item);
        if (place >= 0) fill(place);
      });
    } else if (room > 0) {
      // If more items are allowed, the list is full after fewer places than there are allowed items.
      for (const place of coldItems.order.places()) {
        if (!top.admits(0, place)) break;
        fill(place);
      }
    }
    const found: RelatedFound['items'][number][] = [];
    top.drain((_, place) => {
      const item = coldItems.itemAt(place);
      found.push({ item, score: scoreAt(place), factor: factorOf(item) });
    });
    return found;
  }
}

interface ColdSearch extends Pick<RelatedQuestion, 'limit' | 'allow' | 'isAllowed' | 'factors'> {
  /** places of the list that items with events leave */
  readonly room: number;
}

const NO_ROWS: SparseRows = {
  rowCount: 0,
  columnCount: 0,
  offsets: new Uint32Array(1),
  columns: new Uint32Array(0),
  values: new Float32Array(0),
};
