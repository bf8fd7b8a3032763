// The report of a project's placements over a span of time, polled, and the comparison with a holdout.
import { DAY_MS, HOUR_MS } from '../../../src/base/durations.ts';
import { compareWithHoldout, holdoutExperiment } from './holdout.ts';
import { sumOutcomes } from './sum-outcomes.ts';
import { useCall } from './use-call.ts';

export const SPANS = [
  { value: '1', label: '24 hours' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
] as const;
export type SpanName = (typeof SPANS)[number]['value'];

const POLL_MS = 15_000;

export function useOutcomes(projectId: string, span: SpanName) {
  const days = Number(span);
  // Whole hours, so that the request stays the same between two of them.
  const toTs = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS;
  const by = days === 1 ? 'hour' : 'day';
  const request = { project_id: projectId, from_ts: toTs - days * DAY_MS, to_ts: toTs, by } as const;
  const report = useCall('/get-placement-report', request, { pollMs: POLL_MS, keepPrevious: true });
  const experiments = useCall('/list-experiments', { project_id: projectId, page_size: 100 });
  const found = report.data && experiments.data && holdoutExperiment(report.data.totals, experiments.data.experiments);
  const compared = useCall(
    '/get-experiment',
    { project_id: projectId, experiment_id: found ?? '' },
    { pollMs: POLL_MS, enabled: typeof found === 'string' },
  );
  const isLoaded = report.data && experiments.data && (found === null || !compared.isPending);
  return {
    error: report.error,
    refetch: report.refetch,
    outcomes: isLoaded ? sumOutcomes(report.data) : null,
    holdout: found && compared.data ? compareWithHoldout(compared.data) : null,
  };
}
