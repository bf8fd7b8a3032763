import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createLogger } from '../../observability/logger.ts';
import { DataWarnings } from './data-warnings.ts';

test('a warning is told once an hour, and again if it could not be written', async () => {
  const subjects: string[] = [];
  const announce = async (_: string, { subject }: { subject: string }) => {
    subjects.push(subject);
    if (subjects.length === 1) throw new Error('The database is away.');
  };
  const warnings = new DataWarnings({ announce }, createLogger('silent'));
  for (let batch = 0; batch < 3; batch++) {
    warnings.tell('acc_1', 'eds_1', [{ id: 'e1', code: 'SUSPICIOUS_TIME', message: 'Seconds?' }], 0);
    await setImmediate();
  }
  assert.deepEqual(subjects, ['eds_1.SUSPICIOUS_TIME.0', 'eds_1.SUSPICIOUS_TIME.0']);
});
