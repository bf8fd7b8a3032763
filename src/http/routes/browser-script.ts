// GET /browser/kindred.js: the tracker and the placement element, for pages of any origin. The file has no secret and changes with
// the version of the service.
import { readFileSync } from 'node:fs';
import { Type } from 'typebox';
import { AppError } from '../../errors.ts';
import { fixedContent } from '../compression.ts';
import { defineRoute, type Route } from '../route.ts';

const SCRIPT_TYPE = 'text/javascript; charset=utf-8';

export function browserScriptRoutes(file: string): Route[] {
  let script: Buffer | null;
  try {
    script = fixedContent(readFileSync(file));
  } catch {
    script = null;
  }
  return [
    defineRoute({
      method: 'GET',
      path: '/browser/kindred.js',
      scope: null,
      hidden: true,
      quiet: true,
      tag: 'Browser',
      summary: 'The tracker for web pages',
      response: Type.Unknown(),
      examples: {},
      handler({ reply }) {
        if (script === null) throw new AppError('ROUTE_NOT_FOUND', 'The tracker was not built. Run: npm run prepare');
        return reply
          .header('access-control-allow-origin', '*')
          .header('cache-control', 'public, max-age=3600')
          .type(SCRIPT_TYPE)
          .send(script);
      },
    }),
  ];
}
