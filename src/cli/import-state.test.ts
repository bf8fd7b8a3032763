import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ImportState } from './import-state.ts';

test('the first failure is that of the smallest row, also across a stop', () => {
  const dir = mkdtempSync(join(tmpdir(), 'kindred-import-state-'));
  const open = () => ImportState.open(join(dir, 'state.json'), join(dir, 'failed.jsonl'), 'print', 'eds_1');
  const done = (state: ImportState, from: number, rows: number[]) => {
    const failed = rows.map((row) => ({ row, code: 'UNREADABLE_ROW', message: 'ts is empty', content: '' }));
    state.markDone({ from, to: from + 1000, succeeded: 1000 - rows.length, failed, warnings: {} });
  };
  try {
    const state = open();
    // Within a batch the rows that the service refused come after those that could not be read.
    done(state, 2000, [2400, 2001]);
    assert.equal(state.counts.first_failure, 'row 2001: ts is empty');
    state.save();
    state.close();
    const resumed = open();
    done(resumed, 3000, [3001]);
    assert.equal(resumed.counts.first_failure, 'row 2001: ts is empty');
    done(resumed, 0, [2]);
    assert.equal(resumed.counts.first_failure, 'row 2: ts is empty');
    resumed.close();
  } finally {
    rmSync(dir, { recursive: true });
  }
});
