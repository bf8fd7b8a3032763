// The report of a project's placements over a span of time, polled, and the comparison with a holdout.
import { compareWithHoldout, holdoutExperiment } from './holdout.ts';
import { outcomeSpan, type SpanName } from './outcome-span.ts';
import { sumOutcomes } from './sum-outcomes.ts';
import { useCall } from './use-call.ts';

const POLL_MS = 15_000;

export function useOutcomes(projectId: string, span: SpanName) {
  const request = { project_id: projectId, ...outcomeSpan(span, Date.now()) };
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
