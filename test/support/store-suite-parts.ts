// Shared by the parts of store-suite.ts.
import type { Store } from '../../src/store/store.ts';

export interface OpenedStore {
  store: Store;
  account: string;
  /** Opens the same data once more, as another node does. */
  reopen(): Promise<Store>;
}
