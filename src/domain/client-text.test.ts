import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientIdProblem } from './client-text.ts';

test('an id has 1 to 256 characters, however many code units they take', () => {
  for (const id of ['a', ' ', 'x'.repeat(256), '😀'.repeat(256), 'é\u00a0'])
    assert.equal(clientIdProblem(id), null, id);
  for (const id of ['x'.repeat(257), '😀'.repeat(257), `${'😀'.repeat(200)}${'x'.repeat(57)}`, 'x'.repeat(10_000)]) {
    assert.match(clientIdProblem(id) ?? '', /more than 256 characters/);
  }
});

test('what is missing, empty or no text is told apart', () => {
  for (const id of [undefined, null]) assert.match(clientIdProblem(id) ?? '', /missing/);
  for (const id of [7, true, {}, ['a']]) assert.match(clientIdProblem(id) ?? '', /string/);
  assert.match(clientIdProblem('') ?? '', /empty/);
});

test('control characters and halves of characters are refused wherever they are', () => {
  for (const unclean of ['\u0000', '\u001f', '\u007f', '\u0080', '\u009f', '\ud800', '\udfff']) {
    for (const id of [unclean, `a${unclean}`, `${unclean}a`]) {
      assert.match(clientIdProblem(id) ?? '', /control characters or broken Unicode/, JSON.stringify(id));
    }
  }
});
