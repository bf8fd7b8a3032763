// Starts an experiment: a placement, what the other visitors get, and what is measured.
import { useState } from 'react';
import { useLocation, useParams } from 'wouter';
import type { Model, RequestOf } from '../../../src/client/index.ts';
import { useProjectModels } from '../api/deployment.ts';
import { METRICS, type Metric } from '../api/experiments.ts';
import { useCall, useRefresh } from '../api/use-call.ts';
import { useClient } from '../session/session.tsx';
import { Page } from '../shell/page.tsx';
import { useAction } from '../ui/action.ts';
import { ActionForm } from '../ui/action-form.tsx';
import { LinkButton } from '../ui/button.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { Problem } from '../ui/problem.tsx';
import { EmptyState, Skeleton } from '../ui/states.tsx';
import { useToast } from '../ui/toast.tsx';

type Overrides = NonNullable<RequestOf<'/create-experiment'>['variants'][number]['overrides']>;
type Idea = 'holdout' | 'variety' | 'model';

const IDEAS: { value: Idea; label: string }[] = [
  { value: 'holdout', label: 'The most popular items (holdout)' },
  { value: 'variety', label: 'More variety' },
  { value: 'model', label: 'Another model' },
];
const VARIETY = 0.3;

export default function NewExperimentPage() {
  const { projectId = '' } = useParams();
  const placements = useCall('/list-placements', { project_id: projectId, page_size: 200 });
  const models = useProjectModels(projectId);
  const names = placements.data?.placements.filter(({ kind }) => kind !== 'ranking').map(({ name }) => name);
  return (
    <Page title="New experiment" crumbs={[{ name: 'Experiments', path: `/experiments/${projectId}` }]}>
      <div className="card">
        {placements.error ? (
          <Problem error={placements.error} onRetry={() => placements.refetch()} />
        ) : !names || !models.data ? (
          <Skeleton height={300} label="Loading placements" />
        ) : names.length === 0 ? (
          <EmptyState
            title="No placements yet"
            action={
              <LinkButton needs="/create-placement" to={`/new-placement/${projectId}`} look="primary">
                New placement
              </LinkButton>
            }
          >
            An experiment compares variants of a placement.
          </EmptyState>
        ) : (
          <NewExperiment projectId={projectId} placements={names} models={models.data} />
        )}
      </div>
    </Page>
  );
}

function NewExperiment({
  projectId,
  placements,
  models,
}: {
  projectId: string;
  placements: string[];
  models: Model[];
}) {
  const client = useClient();
  const refresh = useRefresh();
  const toast = useToast();
  const [, navigate] = useLocation();
  const [name, setName] = useState('');
  const [placement, setPlacement] = useState(placements[0]);
  const [idea, setIdea] = useState<Idea>('holdout');
  const [modelId, setModelId] = useState<string | null>(models.find(({ deployed }) => !deployed)?.model_id ?? null);
  const [percent, setPercent] = useState('10');
  const [metric, setMetric] = useState<Metric>('click');
  const [days, setDays] = useState('7');
  const share = Number(percent);
  const isReady = share > 0 && share < 100 && /^\d+$/.test(days) && (idea !== 'model' || modelId !== null);
  const start = useAction(
    async () => {
      const overrides: Record<Idea, Overrides> = {
        holdout: { kind: 'popular' },
        variety: { diversity: VARIETY },
        model: { model_id: modelId ?? undefined },
      };
      const label = IDEAS.find(({ value }) => value === idea)!.label;
      const made = await client.createExperiment({
        project_id: projectId,
        placement,
        metric,
        min_days: Number(days),
        name: name.trim() || `${label} on ${placement}`,
        variants: [
          { name: 'today', share: 100 - share },
          { name: idea, share, overrides: overrides[idea] },
        ],
      });
      await refresh('/list-experiments');
      toast('Experiment started');
      return made.experiment_id;
    },
    (experimentId) => navigate(`/experiments/${projectId}/${experimentId}`),
  );
  return (
    <ActionForm needs="/create-experiment" action={start} submit="Start experiment" isDisabled={!isReady}>
      <SelectField
        label="Placement"
        value={placement}
        onChange={setPlacement}
        choices={placements.map((value) => ({ value, label: value }))}
      />
      <SelectField label="Some visitors get" value={idea} onChange={setIdea} choices={IDEAS} />
      {idea === 'model' && (
        <SelectField
          label="Model"
          value={modelId}
          onChange={setModelId}
          choices={models.map((model) => ({ value: model.model_id, label: model.name }))}
        />
      )}
      <TextField
        label="Share of visitors in percent"
        value={percent}
        onChange={setPercent}
        hint="The others get the placement as it is. A visitor always sees the same variant."
      />
      <SelectField label="Measured by" value={metric} onChange={setMetric} choices={METRICS} />
      <TextField
        label="Days it runs at least"
        value={days}
        onChange={setDays}
        hint="No winner is named earlier. Use whole weeks, so that every weekday counts."
      />
      <TextField label="Name" value={name} onChange={setName} placeholder="Optional" />
      <p className="hint">The API takes up to 10 variants with any change: see /create-experiment.</p>
    </ActionForm>
  );
}
