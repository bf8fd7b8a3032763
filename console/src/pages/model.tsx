// One model: metrics compared with the baseline, training data, and the settings training chose.
import { Pencil, Rocket, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useLocation, useParams } from 'wouter';
import type { Model } from '../../../src/client/index.ts';
import { mainQuestion } from '../../../src/domain/figure-text.ts';
import type { ModelFigures } from '../../../src/domain/model-figures.ts';
import { roleOf } from '../api/current-deployment.ts';
import { useDeployment } from '../api/deployment.ts';
import { useCall, useRefresh } from '../api/use-call.ts';
import { CompareBars, type ComparedFigure } from '../charts/compare-bars.tsx';
import { capital, formatDateTime, formatDuration, formatNumber, formatValue, formatWhole } from '../format.ts';
import { useClient } from '../session/session.tsx';
import { Page } from '../shell/page.tsx';
import { useAction } from '../ui/action.ts';
import { ActionForm } from '../ui/action-form.tsx';
import { Button, LinkButton } from '../ui/button.tsx';
import { Card, type Fact, Facts } from '../ui/card.tsx';
import { ConfirmDialog, Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { Problem } from '../ui/problem.tsx';
import { Notice, Skeleton } from '../ui/states.tsx';
import { useToast } from '../ui/toast.tsx';
import { DeployForm } from './deploy-form.tsx';
import { QuestionsCard, RelationsCard } from './model-figures.tsx';
import { ExpertsCard, ParametersCard, TriedCard } from './model-settings.tsx';

export default function ModelPage() {
  const { projectId = '', modelId = '' } = useParams();
  const model = useCall('/get-model', { project_id: projectId, model_id: modelId });
  const project = useCall('/get-project', { project_id: projectId });
  const deployment = useDeployment(projectId);
  const [dialog, setDialog] = useState<'rename' | 'delete' | 'deploy' | null>(null);
  const client = useClient();
  const refresh = useRefresh();
  const toast = useToast();
  const [, navigate] = useLocation();
  const crumbs = [
    { name: 'Projects', path: '/projects' },
    { name: project.data?.name ?? 'Project', path: `/projects/${projectId}` },
  ];
  if (model.error) {
    return (
      <Page title="Model" crumbs={crumbs}>
        <Problem error={model.error} onRetry={() => model.refetch()} />
      </Page>
    );
  }
  if (!model.data) {
    return (
      <Page title="Model" crumbs={crumbs}>
        <Skeleton height={260} label="Loading the model" />
      </Page>
    );
  }
  const role = roleOf(model.data, deployment.current);
  const close = () => setDialog(null);
  return (
    <Page
      title={model.data.name}
      crumbs={crumbs}
      lead={
        role ? <span className="tag accent">serving as {role}</span> : deployment.current === null && 'Not deployed.'
      }
      actions={
        <>
          <Button
            needs="/update-model"
            look="quiet"
            icon
            aria-label="Rename this model"
            onPress={() => setDialog('rename')}
          >
            <Pencil size={17} aria-hidden />
          </Button>
          <Button
            needs="/delete-model"
            look="quiet"
            icon
            aria-label="Delete this model"
            onPress={() => setDialog('delete')}
          >
            <Trash2 size={17} aria-hidden />
          </Button>
          {role && <LinkButton to={`/playground/${projectId}`}>Playground</LinkButton>}
          <Button needs="/submit-deployment-job" look={role ? 'plain' : 'primary'} onPress={() => setDialog('deploy')}>
            <Rocket size={16} aria-hidden /> Deploy
          </Button>
        </>
      }
    >
      <Card
        title="Quality"
        lead={
          model.data.metrics &&
          `Measured${aboutQuestion(model.data)} on the newest events of ${formatWhole(model.data.metrics.users)} users, which training did not see, ranked among all items.`
        }
      >
        {model.data.metrics ? (
          <CompareBars figures={figuresOf(model.data)} baselineName="Popularity" />
        ) : (
          <Notice>There were too few events to measure quality. You can deploy the model anyway.</Notice>
        )}
      </Card>
      <QuestionsCard model={model.data} />
      <RelationsCard model={model.data} />
      <TriedCard model={model.data} />
      <ExpertsCard model={model.data} />
      <div className="grid-2">
        <Card title="Training">
          <Facts facts={trainingFacts(model.data)} />
        </Card>
        <ParametersCard model={model.data} />
      </div>
      <Dialog title="Rename the model" isOpen={dialog === 'rename'} onClose={close}>
        <RenameForm model={model.data} onDone={close} />
      </Dialog>
      <Dialog title="Deploy a model" isOpen={dialog === 'deploy'} onClose={close}>
        <DeployForm
          models={deployment.models.data ?? [model.data]}
          generatorId={modelId}
          onSubmitted={() => navigate(`/projects/${projectId}`)}
        />
      </Dialog>
      <ConfirmDialog
        title={`Delete “${model.data.name}”?`}
        isOpen={dialog === 'delete'}
        onClose={close}
        confirm="Delete the model"
        danger
        action={async () => {
          await client.deleteModel({ project_id: projectId, model_id: modelId });
          await refresh('/list-models');
          toast('Model deleted');
          navigate(`/projects/${projectId}`);
        }}
      >
        This cannot be undone, but you can train again at any time. A deployed model cannot be deleted.
      </ConfirmDialog>
    </Page>
  );
}

function aboutQuestion({ metrics }: Model): string {
  const question = mainQuestion(metrics as ModelFigures);
  return question === null ? '' : ` for the question “${question}”`;
}

function figuresOf(model: Model): ComparedFigure[] {
  const { model: own, popularity, cutoff } = model.metrics!;
  return [
    {
      name: `NDCG at ${cutoff}`,
      meaning: 'How high the right items rank in the list.',
      model: own.ndcg,
      baseline: popularity.ndcg,
    },
    {
      name: `Recall at ${cutoff}`,
      meaning: 'The share of items users chose that were in the list.',
      model: own.recall,
      baseline: popularity.recall,
    },
    {
      name: `MRR at ${cutoff}`,
      meaning: 'How early the first right item appears.',
      model: own.mrr,
      baseline: popularity.mrr,
    },
    {
      name: `Coverage at ${cutoff}`,
      meaning: 'The share of the catalog that is recommended to anyone.',
      model: own.coverage,
      baseline: popularity.coverage,
    },
  ];
}

const TRAINING_NAMES: Record<string, string> = {
  events: 'Events',
  users: 'Users',
  items: 'Items',
  seconds: 'Took',
  peak_memory_mb: 'Peak memory',
};

function trainingFacts(model: Model): Fact[] {
  const facts: Fact[] = [];
  for (const [key, value] of Object.entries(model.training)) {
    const text = trainingFigure(key, value);
    if (text !== null) facts.push({ name: TRAINING_NAMES[key] ?? capital(key.replaceAll('_', ' ')), value: text });
  }
  facts.push({ name: 'Created', value: formatDateTime(model.created_ts) });
  facts.push({ name: 'Model id', value: <code>{model.model_id}</code> });
  return facts;
}

function trainingFigure(key: string, value: unknown): string | null {
  if (key === 'seconds') {
    const seconds = typeof value === 'object' && value !== null ? (value as { total?: number }).total : value;
    return typeof seconds === 'number' ? formatDuration(seconds * 1000) : null;
  }
  if (key === 'peak_memory_mb') return `${formatWhole(Math.round(Number(value)))} MB`;
  if (value === null || typeof value === 'object') return null;
  return typeof value === 'number' ? formatNumber(value) : formatValue(value);
}

function RenameForm({ model, onDone }: { model: Model; onDone: () => void }) {
  const client = useClient();
  const refresh = useRefresh();
  const [name, setName] = useState(model.name);
  const rename = useAction(async () => {
    await client.updateModel({ project_id: model.project_id, model_id: model.model_id, name: name.trim() });
    await refresh('/get-model', '/list-models');
  }, onDone);
  return (
    <ActionForm action={rename} submit="Rename" isDisabled={name.trim() === ''}>
      <TextField label="Name" value={name} onChange={setName} />
    </ActionForm>
  );
}
