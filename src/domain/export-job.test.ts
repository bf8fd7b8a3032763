import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXPORTED, isExported, isOfModel, namesUsers } from './export-job.ts';
import { isListFormat, LIST_FORMATS } from './recommendation-job.ts';

test('exports that name users are those that a deleted user must be taken out of', () => {
  assert.deepEqual(EXPORTED.filter(namesUsers), ['users', 'events', 'user_vectors']);
});

test('vectors come out of a model, the rest does not', () => {
  assert.deepEqual(EXPORTED.filter(isOfModel), ['item_vectors', 'user_vectors']);
});

test('only what is listed can be exported', () => {
  for (const what of EXPORTED) assert.equal(isExported(what), true);
  for (const what of ['', 'passwords', 'toString', null, undefined, 5, ['users']])
    assert.equal(isExported(what), false);
});

test('lists are written in the formats that are listed', () => {
  for (const format of LIST_FORMATS) assert.equal(isListFormat(format), true);
  for (const format of ['', 'xml', 'CSV', null, undefined, ['csv']]) assert.equal(isListFormat(format), false);
});
