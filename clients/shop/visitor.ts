// Who looks at the shop: a viewer of the sample or a new visitor. Kept for this tab, so that a reload changes nothing.
import type { FilmShop } from '../../src/sample/film-shop.ts';
import { createTracker, type Tracker } from '../browser/tracker.ts';

const STORAGE_NAME = 'kindred-shop';
/** The page asks for lists after each event, so events do not wait for others. */
const WAIT_MS = 50;

interface Kept {
  id: string;
  cart: string[];
}

export interface Visitor extends Kept {
  /** A viewer of the sample: an id the shop knows. */
  isViewer: boolean;
  tracker: Tracker;
}

export function currentVisitor(shop: FilmShop): Visitor {
  const kept = readKept();
  return kept ? visitorOf(shop, kept) : becomeVisitor(shop, null);
}

/** null: somebody new. */
export function becomeVisitor(shop: FilmShop, viewerId: string | null): Visitor {
  const visitor = visitorOf(shop, {
    id: viewerId ?? `visitor-${crypto.getRandomValues(new Uint32Array(4)).join('-')}`,
    cart: [],
  });
  keepVisitor(visitor);
  return visitor;
}

export function keepVisitor({ id, cart }: Visitor): void {
  sessionStorage.setItem(STORAGE_NAME, JSON.stringify({ id, cart }));
}

function visitorOf(shop: FilmShop, kept: Kept): Visitor {
  const isViewer = shop.viewers.some(({ user_id }) => user_id === kept.id);
  const tracker = createTracker({
    url: location.origin,
    key: shop.key,
    waitMs: WAIT_MS,
    ...(isViewer ? { userId: kept.id } : { visitorId: kept.id }),
    // Visitors of the demo are made up, and their events stay on this machine.
    ignoreDoNotTrack: true,
  });
  return { ...kept, isViewer, tracker };
}

function readKept(): Kept | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(STORAGE_NAME) ?? 'null');
    return typeof kept?.id === 'string' && Array.isArray(kept.cart) ? kept : null;
  } catch {
    return null;
  }
}
