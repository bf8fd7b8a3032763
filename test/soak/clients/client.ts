// What every client has: they go on working while faults strike.
import type { TasteProject } from '../../support/taste-project.ts';
import type { Calls } from '../calls.ts';
import type { ItemHistory } from '../histories/item-history.ts';
import type { JobHistory } from '../histories/job-history.ts';
import type { ServingHistory } from '../histories/serving-history.ts';
import type { Ledger } from '../ledger.ts';
import type { Nodes } from '../nodes.ts';

export interface ClientParts {
  nodes: Nodes;
  calls: Calls;
  project: TasteProject;
  ledger: Ledger;
  jobs: JobHistory;
  serving: ServingHistory;
  items: ItemHistory;
  /** the time is over: clients end their round */
  stopped: () => boolean;
  /** multiplies the pauses between a client's calls: 1 for a machine that has nothing else to do */
  pauses: number;
  /** of the seed */
  pick: (bound: number) => number;
}
