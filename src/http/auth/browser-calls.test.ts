import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserCallOf } from './browser-calls.ts';

test('a field that a page may not send is refused with what to do instead', () => {
  const call = browserCallOf({ method: 'POST', path: '/projects/:project_id/placements/:name' })!;
  call.refuseOtherFields({ user_id: 'visitor-1', limit: 3 });
  assert.throws(() => call.refuseOtherFields({ visitor_id: 'visitor-1' }), {
    code: 'INVALID_REQUEST',
    message: 'A browser key may not send visitor_id. Use user_id: it takes the ids of visitors too.',
  });
  assert.throws(() => call.refuseOtherFields({ user_id: 'u1', filter_query: 'price > 1' }), {
    code: 'INVALID_REQUEST',
    message: 'A browser key may not send filter_query. Set it in the placement, or call from your server.',
  });
});
