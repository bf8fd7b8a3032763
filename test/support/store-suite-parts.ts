// Shared by the parts of store-suite.ts.
import assert from 'node:assert/strict';
import type { Store } from '../../src/store/store.ts';

export interface OpenedStore {
  store: Store;
  account: string;
  /** Opens the same data once more, as another node does. */
  reopen(): Promise<Store>;
}

export async function eventually(holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await holds())) {
    assert.ok(Date.now() < deadline, 'it did not come true in time');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
