// Experiments as the console reads and writes them.
import type { Experiment } from '../../../src/client/index.ts';

export type Metric = Experiment['metric'];

export const METRICS: { value: Metric; label: string }[] = [
  { value: 'click', label: 'Visitors who click' },
  { value: 'target', label: 'Visitors with a target event' },
  { value: 'value', label: 'Value per visitor' },
];

export function overridesInWords(overrides: Record<string, unknown>): string {
  const entries = Object.entries(overrides);
  if (entries.length === 0) return 'the placement as it is';
  return entries
    .map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .join(', ');
}
