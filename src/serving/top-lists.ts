// The top lists of a project as items of a catalog, for calls with a model and without: counted once for all calls
// (counted-lists.ts), with each id looked up once (list-numbers.ts). They are whole: what a call allows, and how many items it
// needs, is decided where the list is made.
import type { Project } from '../domain/project.ts';
import type { CountedItems } from '../placements/item-sources.ts';
import type { ListKind } from '../placements/list-request.ts';
import type { CatalogFollower } from './catalog-follower.ts';
import { type CountedLists, DEFAULT_WINDOW_HOURS } from './counted-lists.ts';
import { ListNumbers } from './list-numbers.ts';

/** The items of each kind of list that is a top list. */
export type TopItemsOf = ReadonlyMap<ListKind, CountedItems>;

const NONE: TopItemsOf = new Map();

export class TopLists {
  readonly #counted: Pick<CountedLists, 'list'>;
  readonly #numbers = new ListNumbers();

  constructor(counted: Pick<CountedLists, 'list'>) {
    this.#counted = counted;
  }

  /** Waits only where a kind is a top list. The catalog may change meanwhile. */
  of(project: Project, kinds: readonly ListKind[], follower: CatalogFollower): TopItemsOf | Promise<TopItemsOf> {
    return kinds.some(({ kind }) => kind === 'top') ? this.#read(project, kinds, follower) : NONE;
  }

  async #read(project: Project, kinds: readonly ListKind[], follower: CatalogFollower): Promise<TopItemsOf> {
    const items = new Map<ListKind, CountedItems>();
    for (const kind of kinds) {
      if (kind.kind !== 'top') continue;
      const { by, windowHours, eventType } = kind;
      const hours = windowHours ?? DEFAULT_WINDOW_HOURS[by];
      const list = await this.#counted.list(project, { by, windowHours: hours, eventType });
      items.set(kind, { items: this.#numbers.of(list, follower), scores: list.scores });
    }
    return items;
  }
}
