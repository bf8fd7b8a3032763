// Derives how the body of a route is read from the route's declaration.
import { browserCallOf } from './auth/browser-calls.ts';
import { BODY_CLASSES, type BodyLimits } from './body-class.ts';
import type { BulkBody } from './bulk/bulk-bodies.ts';
import type { Route } from './route.ts';

export interface BodyRules extends BodyLimits {
  readonly acceptsForm: boolean;
  /** The body may be JSON sent as text/plain. */
  readonly acceptsText: boolean;
  readonly bulk: BulkBody | null;
}

export function rulesOf(route: Route): BodyRules {
  const { bodyClass = 'small', acceptsForm = false, bulk } = route;
  // Browsers send text/plain without a preflight request, but not application/json.
  const acceptsText = browserCallOf(route) !== null;
  return { ...BODY_CLASSES[bulk ? 'bulk' : bodyClass], acceptsForm, acceptsText, bulk: bulk ?? null };
}
