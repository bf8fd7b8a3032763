import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConstraintViolation, type Database } from '../database.ts';
import { SqlJobQueue } from './sql-job-queue.ts';

test('of two workers that take deployments of one project at the same moment one gets none, other errors are thrown', async () => {
  const claimWith = (error: Error) => {
    const atomic = async () => {
      throw error;
    };
    const database = { dialect: 'postgres', atomic } as Partial<Database> as Database;
    return new SqlJobQueue(database).claim('worker', ['DEPLOYMENT'], 1);
  };
  assert.equal(await claimWith(new ConstraintViolation('one deployment runs already')), null);
  await assert.rejects(claimWith(new Error('the store is away')), /the store is away/);
});
