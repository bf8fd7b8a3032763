import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../test/support/new-ids.ts';
import { changedNothing, objectOf, recordsOf, summaryOf } from './describe-call.ts';

test('the object is the most special thing the call names or made', () => {
  const [project_id, job_id, event_dataset_id] = [newId('project'), newId('job'), newId('event')];
  const body = { project_id, event_dataset_id };
  assert.equal(objectOf({ body, params: {}, response: { ...body, job_id } }), job_id);
  assert.equal(objectOf({ body, params: {}, response: {} }), project_id);
  assert.equal(objectOf({ body: { event_dataset_id }, params: {}, response: null }), event_dataset_id);
  assert.equal(objectOf({ body: { project_id: 'not one of ours' }, params: { project_id }, response: '' }), project_id);
  assert.equal(objectOf({ body: undefined, params: undefined, response: undefined }), null);
});

test('records are counted from the response', () => {
  assert.deepEqual([{ succeed_ids: ['a', 'b'] }, { deleted_count: 3 }, {}, null].map(recordsOf), [2, 3, 0, 0]);
});

test('the summary tells what was switched off or removed', () => {
  assert.equal(
    summaryOf({ automation: null, segment_mapping: null, name: undefined }),
    'automation: switched off, segment_mapping: removed',
  );
});

test('the summary tells names, numbers and ids of the service, and no other text', () => {
  const project_id = newId('project');
  const summary = summaryOf({
    name: 'web shop',
    project_id,
    grace_hours: 0,
    user_id: 'jane@example.org',
    client_secret: 'ks_1234',
    filter_query: "email = 'jane@example.org'",
    scopes: ['/track'],
    defaults: { limit: 5, filter_query: 'x' },
  });
  assert.equal(
    summary,
    `name: "web shop", project_id: ${project_id}, grace_hours: 0, scopes: /track, defaults: 2 fields`,
  );
  assert.doesNotMatch(summary, /jane|ks_/);
  const long = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`field${n}`, n]));
  assert.equal(summaryOf(long).length, 500);
  assert.equal(summaryOf({ name: 'x'.repeat(1000) }).length, 72);
});

test('the summary tells what a key covers, the placement of an experiment and which variant was promoted', () => {
  const scopes = Array.from({ length: 7 }, (_, n) => `/operation-${n}`);
  assert.equal(
    summaryOf({ name: 'pages', scopes, origins: ['https://shop.example'] }),
    'name: "pages", scopes: /operation-0 /operation-1 /operation-2 /operation-3 /operation-4 and 2 more, origins: https://shop.example',
  );
  assert.equal(summaryOf({ name: 'all' }, { scopes: ['*'], client_secret: 'ks_1' }), 'name: "all", scopes: *');
  assert.equal(summaryOf({ promote: 'diverse' }, { placement: 'home' }), 'promote: "diverse", placement: "home"');
  assert.equal(summaryOf({ placement: 'home' }, { placement: 'home' }), 'placement: "home"');
});

test('a call that returns no job changed nothing', () => {
  assert.deepEqual([{ job_id: null }, { job_id: 'job_1' }, {}, null].map(changedNothing), [true, false, false, false]);
});
