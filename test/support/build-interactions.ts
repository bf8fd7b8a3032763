// The histories of a table as one block of rows.
import type { EventTable } from '../../src/dataset/event-table.ts';
import {
  foldedHistories,
  type HistoryChoice,
  type InteractionRules,
  type Interactions,
  layOut,
} from '../../src/dataset/interactions.ts';
import type { KernelMemory } from '../../src/kernels/kernel-memory.ts';

export function buildInteractions(
  memory: KernelMemory,
  table: EventTable,
  rules: InteractionRules,
  choice: HistoryChoice = {},
): Interactions {
  const source = foldedHistories(table, rules, choice);
  return layOut(memory, source, { from: 0, to: source.userCount });
}
