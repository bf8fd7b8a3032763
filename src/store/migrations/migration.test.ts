import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../errors.ts';
import { MIGRATIONS } from './index.ts';
import { type Migration, pendingMigrations } from './migration.ts';

const migration = (version: number): Migration => ({ version, name: `m${version}`, sql: { sqlite: '', postgres: '' } });

test('pending migrations are those not applied yet, oldest first', () => {
  const pending = pendingMigrations([{ version: 2, name: 'm2' }], [migration(3), migration(2), migration(1)]);
  assert.deepEqual(
    pending.map(({ version }) => version),
    [1, 3],
  );
});

test('a database that a newer Kindred changed is refused, with what to do', () => {
  assert.throws(
    () =>
      pendingMigrations(
        [
          { version: 1, name: 'm1' },
          { version: 7, name: 'later' },
        ],
        [migration(1)],
      ),
    (error) => error instanceof AppError && /newer Kindred.*migration 7 \(later\).*up to 1/.test(error.message),
  );
});

test('versions are unique and rise', () => {
  const versions = MIGRATIONS.map(({ version }) => version);
  assert.deepEqual(
    versions,
    [...new Set(versions)].sort((a, b) => a - b),
  );
});
