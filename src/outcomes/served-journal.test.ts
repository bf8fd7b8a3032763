import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { RecommendationOrigin } from '../domain/recommendation.ts';
import { readJournal, ServedJournal } from './served-journal.ts';

const folder = mkdtempSync(join(tmpdir(), 'kindred-journal-'));
after(() => rmSync(folder, { recursive: true }));

const origin: RecommendationOrigin = {
  accountId: 'a',
  projectId: 'p',
  modelId: null,
  placement: 'home',
  variant: 'new',
  experimentId: 'x',
};

/** Three lines of counts, the second with two lists, and two visitors. */
function written(name: string): string {
  const journal = new ServedJournal(join(folder, name));
  for (const hour of [1, 2, 3]) journal.count(origin, hour, 10);
  journal.visit(origin, 1, 17);
  journal.visit(origin, 3, 18);
  journal.write();
  journal.count(origin, 2, 5);
  journal.write();
  journal.close();
  return journal.path;
}

const listsOf = (path: string) => readJournal(path).counts.map(({ hour, lists, items }) => [hour, lists, items]);

test('a journal reads as it was written, without a last line that is not whole', () => {
  const path = written('whole');
  const whole = [
    [1, 1, 10],
    [2, 2, 15],
    [3, 1, 10],
  ];
  assert.deepEqual(listsOf(path), whole);
  assert.deepEqual(
    readJournal(path).visitors.map(({ userHash }) => userHash),
    [17, 18],
  );
  writeFileSync(path, '000000000001 000000', { flag: 'a' });
  assert.deepEqual(listsOf(path), whole);
});

test('of a journal with a gap, as a power loss can leave it, what is before the gap counts', () => {
  const path = written('gap');
  const bytes = readFileSync(path);
  const secondLine = bytes.indexOf('\n') + 1;
  // Block by block: the digits of the line, then its names, then its end and the beginning of the next one.
  for (const from of [0, 40, bytes.indexOf('\n', secondLine) - secondLine - 3]) {
    const torn = Buffer.from(bytes);
    torn.fill(0, secondLine + from, secondLine + from + 12);
    writeFileSync(path, torn);
    assert.deepEqual(listsOf(path), [[1, 1, 10]]);
    assert.deepEqual(readJournal(path).visitors, []);
  }
});
