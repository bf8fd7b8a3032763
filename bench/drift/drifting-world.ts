// A world in which tastes drift, with known chances: people belong to circles, each circle likes a set of items, and every day some of
// what a circle likes goes out of fashion and other items come in. A model that is not trained again knows the circles of the past.
import { DAY_MS } from '../../src/base/durations.ts';
import { type Random, seededRandom } from '../../src/base/seeded-random.ts';

export interface DriftOptions {
  readonly seed: number;
  readonly people: number;
  readonly circles: number;
  readonly items: number;
  readonly likedPerCircle: number;
  /** share of what a circle likes that changes in a day */
  readonly changedPerDay: number;
}

export interface WorldEvent {
  readonly user_id: string;
  readonly item_id: string;
  readonly ts: number;
}

export interface Person {
  readonly id: string;
  readonly circle: number;
}

const START_TS = Date.UTC(2026, 0, 1);
const VISIT_CHANCE = 0.5;
/** Items a person turns to without a list. */
const OWN_FINDS = 3;
const LIKED_CHANCE = 0.4;
const OTHER_CHANCE = 0.01;

/** The chance that place p, from 0, is looked at. */
const examination = (place: number): number => 1 / (1 + 0.25 * place);

export class DriftingWorld {
  readonly events: WorldEvent[] = [];
  readonly people: readonly Person[];
  readonly #options: DriftOptions;
  readonly #random: Random;
  readonly #liked: Set<string>[];
  #day = 0;

  constructor(options: DriftOptions) {
    this.#options = options;
    this.#random = seededRandom(options.seed);
    this.people = Array.from({ length: options.people }, (_, n) => ({ id: `p${n}`, circle: n % options.circles }));
    this.#liked = Array.from({ length: options.circles }, () => new Set<string>());
    for (const liked of this.#liked) while (liked.size < options.likedPerCircle) liked.add(this.#anyItem());
  }

  get nowMs(): number {
    return START_TS + this.#day * DAY_MS;
  }

  itemIds(): string[] {
    return Array.from({ length: this.#options.items }, (_, n) => `i${n}`);
  }

  /** A day: fashion changes, people come, find something themselves and see a list. Calls back with the clicks of each visit. */
  pass(
    listFor: ((person: Person) => readonly string[]) | null,
    onVisit?: (person: Person, clicks: number) => void,
  ): void {
    const random = this.#random;
    this.#changeFashion();
    const fresh: WorldEvent[] = [];
    for (const person of this.people) {
      if (!random.chance(VISIT_CHANCE)) continue;
      const liked = [...this.#liked[person.circle]];
      let ts = this.nowMs + random.below(DAY_MS - 3_600_000);
      const act = (item_id: string): void => {
        fresh.push({ user_id: person.id, item_id, ts });
        ts += 30_000;
      };
      for (let n = 0; n < OWN_FINDS; n++) act(random.pick(liked));
      if (listFor === null) continue;
      let clicks = 0;
      for (const [place, item] of listFor(person).entries()) {
        const chance = this.#liked[person.circle].has(item) ? LIKED_CHANCE : OTHER_CHANCE;
        if (!random.chance(examination(place) * chance)) continue;
        clicks++;
        act(item);
      }
      onVisit?.(person, clicks);
    }
    this.events.push(...fresh.sort((a, b) => a.ts - b.ts));
    this.#day++;
  }

  #changeFashion(): void {
    const { likedPerCircle, changedPerDay } = this.#options;
    for (const liked of this.#liked) {
      for (const item of liked) if (this.#random.chance(changedPerDay)) liked.delete(item);
      while (liked.size < likedPerCircle) liked.add(this.#anyItem());
    }
  }

  #anyItem(): string {
    return `i${this.#random.below(this.#options.items)}`;
  }
}
