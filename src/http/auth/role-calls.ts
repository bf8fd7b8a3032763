// Decides which role a call needs. Calls that change nothing are for viewers, changes for editors, deletion for admins; a route
// that differs says so itself (`role`). People never make other calls than these: the scopes of their role are checked like those
// of a token.
import { ROLES, type Role } from '../../domain/person.ts';
import { EVERY_SCOPE, type Scopes } from '../../domain/scopes.ts';
import { auditModeOf } from '../audit/audit-trail.ts';
import { type Route, scopeOf } from '../route.ts';

function roleNeeded(route: Route): Role {
  if (route.role !== undefined) return route.role;
  if (route.method === 'DELETE') return 'admin';
  return auditModeOf(route) === 'none' ? 'viewer' : 'editor';
}

/** The scopes of each role. If several routes have one scope, it needs the highest of their roles. */
export function scopesByRole(routes: readonly Route[]): Readonly<Record<Role, Scopes>> {
  const needed = new Map<string, Role>();
  for (const route of routes) {
    const scope = scopeOf(route);
    if (scope === null) continue;
    const role = roleNeeded(route);
    const known = needed.get(scope);
    if (known === undefined || rankOf(role) > rankOf(known)) needed.set(scope, role);
  }
  const upTo = (role: Role): Scopes =>
    Object.freeze([...needed].filter(([, needs]) => rankOf(needs) <= rankOf(role)).map(([scope]) => scope));
  return { viewer: upTo('viewer'), editor: upTo('editor'), admin: Object.freeze([EVERY_SCOPE]) };
}

const rankOf = (role: Role): number => ROLES.indexOf(role);
