// The calls that a project's serving_uri has too: their path below it. A field of the request in braces is part of that path.
import type { OperationPath } from './operations.ts';

export const PATHS_BELOW_PROJECT: Readonly<Partial<Record<OperationPath, string>>> = {
  '/recommend-items-to-user': '/recommend-items-to-user',
  '/recommend-items-to-item': '/recommend-items-to-item',
  '/rank-items-to-user': '/rank-items-to-user',
  '/call-placement': '/placements/{placement}',
  '/compose-page': '/page',
};

/** Throws for other calls: sent without the address, they could be about another project. */
export function atServingUri(
  servingUri: string,
  operation: OperationPath,
  request: object,
): { url: string; request: object } {
  const below = PATHS_BELOW_PROJECT[operation];
  if (below === undefined) throw new TypeError(`${operation} does not take servingUri: it is not below serving_uri`);
  const rest = new Map<string, unknown>(Object.entries(request));
  const path = below.replace(/\{(\w+)\}/g, (_, field: string) => {
    const value = String(rest.get(field));
    rest.delete(field);
    return encodeURIComponent(value);
  });
  return { url: servingUri + path, request: Object.fromEntries(rest) };
}
