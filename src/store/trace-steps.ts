// The steps of reading and writing that traces show, see ARCHITECTURE.md. Called once for a store if tracing is on.
import { traceMethods } from '../base/trace.ts';
import type { Store } from './store.ts';

export function traceStore({ datasets, users, items, events, queue }: Store): void {
  traceMethods(datasets, { get: 'find dataset' });
  for (const records of [users, items]) {
    traceMethods(records, { get: 'read record', upsert: 'write records', patch: 'write records' });
  }
  traceMethods(events, { upsert: 'write events', history: 'read history' });
  traceMethods(queue, { finish: 'publish' });
}
