// How the simulated shoppers meet recommendations, with known chances: a shopper looks at place p of a list with a chance that
// falls with p, and opens what is looked at with the appetite for it (state.ts). The ledger counts what truly happened, so
// that reports can be compared with it to the last count.
import { appetite, type ShopperState, takeHome } from './state.ts';
import type { Shelves } from './visits.ts';

export interface Shown {
  readonly recommendationId: string;
  readonly placement: string;
  readonly variant: string;
  readonly goods: readonly string[];
}

export interface Click {
  readonly recommendationId: string;
  readonly shopper: string;
  readonly good: string;
  readonly place: number;
  readonly isPurchase: boolean;
}

export interface LedgerLine {
  served: number;
  shown: number;
  clicked: number;
  purchased: number;
  value: number;
  /** sum of the chances of all that was shown: what `clicked` is expected to be */
  expectedClicks: number;
}

const PURCHASE_CHANCE = 0.3;

/** The chance that place p, from 0, is looked at. */
function examination(place: number): number {
  return 1 / (1 + 0.25 * place);
}

export class ClickModel {
  readonly #shelves: Shelves;
  /** by placement and variant, joined by "/" */
  readonly ledger = new Map<string, LedgerLine>();

  constructor(shelves: Shelves) {
    this.#shelves = shelves;
  }

  chanceOf(state: ShopperState, good: string, place: number, day: number): number {
    return examination(place) * appetite(state, this.#shelves.get(good), day);
  }

  /** What the shopper opens of the list, and what of that is bought at once. Draws from the shopper's own chance. */
  show(state: ShopperState, day: number, shown: Shown): Click[] {
    const line = this.#line(shown);
    const { random, id } = state.shopper;
    const clicks: Click[] = [];
    line.served++;
    for (const [place, good] of shown.goods.entries()) {
      const chance = this.chanceOf(state, good, place, day);
      line.shown++;
      line.expectedClicks += chance;
      if (!random.chance(chance)) continue;
      const isPurchase = random.chance(PURCHASE_CHANCE);
      line.clicked++;
      if (isPurchase) {
        line.purchased++;
        line.value += this.#shelves.get(good).price;
        takeHome(state, this.#shelves.get(good), day);
      }
      clicks.push({ recommendationId: shown.recommendationId, shopper: id, good, place, isPurchase });
    }
    return clicks;
  }

  #line({ placement, variant }: Shown): LedgerLine {
    const key = `${placement}/${variant}`;
    const line = this.ledger.get(key) ?? {
      served: 0,
      shown: 0,
      clicked: 0,
      purchased: 0,
      value: 0,
      expectedClicks: 0,
    };
    this.ledger.set(key, line);
    return line;
  }
}
