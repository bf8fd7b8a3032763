// How the body of a route is read, from its declaration.
import { browserCallOf } from './auth/browser-calls.ts';
import { BODY_CLASSES, type BodyLimits } from './body-class.ts';
import type { BulkBody } from './bulk/bulk-bodies.ts';
import type { Route } from './route.ts';

export interface BodyRules extends BodyLimits {
  readonly acceptsForm: boolean;
  /** JSON sent as text/plain. */
  readonly acceptsText: boolean;
  readonly bulk: BulkBody | null;
}

export function rulesOf(route: Route): BodyRules {
  const { bodyClass = 'small', acceptsForm = false, bulk } = route;
  // What a page may send without asking first (preflight) is text, not JSON.
  const acceptsText = browserCallOf(route) !== null;
  return { ...BODY_CLASSES[bulk ? 'bulk' : bodyClass], acceptsForm, acceptsText, bulk: bulk ?? null };
}
