import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ChangedUsers } from './changed-users.ts';

const change = (version: number, ...users: number[]) => ({
  datasetId: 'd',
  version,
  users: Uint32Array.from(users),
});

describe('changed users', () => {
  test('a change concerns the users it names', () => {
    const changed = new ChangedUsers();
    assert.equal(changed.versionOf('d', 1, 10), 10);
    changed.note(change(11, 1));
    changed.note(change(12, 2, 2));
    assert.deepEqual(
      [1, 2, 3].map((user) => changed.versionOf('d', user, 12)),
      [11, 12, 10],
    );
  });

  test('a version that is not noted yet may concern anyone', () => {
    const changed = new ChangedUsers();
    changed.versionOf('d', 1, 10);
    assert.ok(!changed.isCurrent('d', 11));
    assert.equal(changed.versionOf('d', 1, 11), 11);
    changed.note(change(11, 2));
    assert.ok(changed.isCurrent('d', 11));
    assert.equal(changed.versionOf('d', 1, 11), 10);
    assert.equal(changed.versionOf('d', 2, 11), 11);
  });

  test('a change that is noted before it can be read concerns nobody else', () => {
    const changed = new ChangedUsers();
    changed.versionOf('d', 1, 10);
    changed.note(change(11, 1));
    changed.note(change(12, 2));
    assert.deepEqual(
      [1, 2, 3].map((user) => changed.versionOf('d', user, 11)),
      [11, 11, 10],
    );
  });

  test('a change that was announced and not committed makes all unknown, whoever makes its version instead', () => {
    const changed = new ChangedUsers();
    changed.versionOf('d', 1, 10);
    changed.note(change(11, 2));
    changed.note({ ...change(11), users: null });
    assert.equal(changed.versionOf('d', 1, 10), 10);
    assert.equal(changed.versionOf('d', 1, 11), 11);
  });

  test("another process's change makes all that came before unknown", () => {
    const changed = new ChangedUsers();
    changed.versionOf('d', 1, 10);
    changed.note(change(12, 2));
    assert.equal(changed.versionOf('d', 1, 12), 12);
    assert.equal(changed.versionOf('d', 3, 12), 12);
  });

  test('more changed users than it remembers make all unknown', () => {
    const changed = new ChangedUsers();
    changed.versionOf('d', 1, 10);
    changed.note({ datasetId: 'd', version: 11, users: new Uint32Array(200_001) });
    assert.equal(changed.versionOf('d', 1, 11), 11);
    changed.note(change(12, 5));
    assert.equal(changed.versionOf('d', 1, 12), 11);
  });

  test('datasets do not mix', () => {
    const changed = new ChangedUsers();
    changed.versionOf('a', 1, 10);
    changed.versionOf('b', 1, 3);
    changed.note({ ...change(11, 1), datasetId: 'a' });
    assert.equal(changed.versionOf('b', 1, 3), 3);
  });
});
