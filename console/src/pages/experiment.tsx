// One experiment: the result in a sentence, the lift over time, the figures of each variant, and how to end it.
import { useState } from 'react';
import { useParams } from 'wouter';
import type { ExperimentReport } from '../../../src/client/index.ts';
import { METRICS } from '../api/experiments.ts';
import { useCall, useRefresh } from '../api/use-call.ts';
import { LiftChart, type LiftSeries } from '../charts/lift-chart.tsx';
import { formatAgo } from '../format.ts';
import { useClient } from '../session/session.tsx';
import { Page } from '../shell/page.tsx';
import { Button } from '../ui/button.tsx';
import { Card, Facts } from '../ui/card.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { SelectField } from '../ui/field.tsx';
import { Problem } from '../ui/problem.tsx';
import { Notice, Skeleton } from '../ui/states.tsx';
import { useToast } from '../ui/toast.tsx';
import { VariantTable } from './experiment-variants.tsx';

const POLL_MS = 10_000;
const NOBODY = '';

export default function ExperimentPage() {
  const { projectId = '', experimentId = '' } = useParams();
  const ids = { project_id: projectId, experiment_id: experimentId };
  const read = useCall('/get-experiment', ids, { pollMs: (last) => last?.status !== 'STOPPED' && POLL_MS });
  const [isStopping, setStopping] = useState(false);
  const crumbs = [{ name: 'Experiments', path: `/experiments/${projectId}` }];
  if (!read.data) {
    return (
      <Page title="Experiment" crumbs={crumbs}>
        {read.error ? (
          <Problem error={read.error} onRetry={() => read.refetch()} />
        ) : (
          <Skeleton height={300} label="Loading the experiment" />
        )}
      </Page>
    );
  }
  const { name, placement, metric, status, created_ts, min_days, results } = read.data;
  return (
    <Page
      title={name}
      crumbs={crumbs}
      lead={`On the placement ${placement}.`}
      actions={
        status === 'RUNNING' && (
          <Button needs="/stop-experiment" onPress={() => setStopping(true)}>
            Stop
          </Button>
        )
      }
    >
      <Notice tone={results.split_as_planned ? undefined : 'warn'}>
        <strong>{results.sentence}</strong>
      </Notice>
      <Card
        title="Lift over time"
        lead={`Over ${read.data.variants[0].name}. The band is the 95% interval. It is valid however often you look.`}
      >
        <Lifts experiment={read.data} />
      </Card>
      <Card title="Variants">
        <Facts
          facts={[
            { name: 'Status', value: status === 'RUNNING' ? 'Running' : 'Stopped' },
            { name: 'Started', value: formatAgo(created_ts) },
            { name: 'Measured by', value: METRICS.find(({ value }) => value === metric)?.label },
            { name: 'Runs at least', value: min_days === 1 ? '1 day' : `${min_days} days` },
          ]}
        />
        <VariantTable experiment={read.data} />
      </Card>
      <StopDialog experiment={read.data} isOpen={isStopping} onClose={() => setStopping(false)} />
    </Page>
  );
}

function Lifts({ experiment }: { experiment: ExperimentReport }) {
  const now = { ts: experiment.stopped_ts ?? Date.now(), variants: experiment.results.variants };
  const series: LiftSeries[] = experiment.variants
    .slice(1)
    .map(({ name }) => ({
      name,
      points: [...experiment.history, now].flatMap(({ ts, variants }) => {
        const { lift, lift_interval } = variants.find((variant) => variant.name === name) ?? {};
        return typeof lift === 'number' && lift_interval
          ? [{ ts, lift, low: lift_interval[0], high: lift_interval[1] }]
          : [];
      }),
    }))
    .filter(({ points }) => points.length > 0);
  if (series.length === 0) return <p className="hint">Nothing to show yet.</p>;
  return <LiftChart series={series} since={experiment.created_ts} label="Lift of each variant, with its interval" />;
}

function StopDialog({
  experiment,
  isOpen,
  onClose,
}: {
  experiment: ExperimentReport;
  isOpen: boolean;
  onClose: () => void;
}) {
  const client = useClient();
  const refresh = useRefresh();
  const toast = useToast();
  const { project_id, experiment_id, placement, variants, results } = experiment;
  const [chosen, setChosen] = useState<string | null>(null);
  const promote = chosen ?? results.winner ?? NOBODY;
  return (
    <ConfirmDialog
      title="Stop the experiment?"
      isOpen={isOpen}
      onClose={onClose}
      confirm="Stop"
      action={async () => {
        await client.stopExperiment({ project_id, experiment_id, ...(promote !== NOBODY && { promote }) });
        await refresh('/get-experiment', '/list-experiments', '/list-placements', '/get-placement');
        toast(promote === NOBODY ? 'Experiment stopped' : `Experiment stopped, ${promote} promoted`);
      }}
    >
      <div className="stack">
        <SelectField
          label="From now on everybody gets"
          value={promote}
          onChange={setChosen}
          choices={[
            { value: NOBODY, label: `${placement} as it is` },
            ...variants.map(({ name }) => ({ value: name, label: name })),
          ]}
        />
        <p>A variant becomes the next version of the placement. You can roll back to the version before.</p>
      </div>
    </ConfirmDialog>
  );
}
