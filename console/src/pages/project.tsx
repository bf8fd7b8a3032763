// One project: what it serves, its models against the baseline, training, earlier deployments.
import { Rocket, Trash2, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import type { Job, Model } from '../../../src/client/index.ts';
import { type CurrentDeployment, roleOf, useDeployment } from '../api/deployment.ts';
import { useCall, useRefresh } from '../api/use-call.ts';
import { isActive, useRecentJobs } from '../api/use-jobs.ts';
import { formatAgo, formatDateTime, formatNumber } from '../format.ts';
import { useClient } from '../session/session.tsx';
import { Page } from '../shell/page.tsx';
import { Button, LinkButton } from '../ui/button.tsx';
import { CancelJobButton } from '../ui/cancel-job.tsx';
import { Card, Facts } from '../ui/card.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { ConfirmDialog, Dialog } from '../ui/dialog.tsx';
import { JobOutcome, JobStatusTag } from '../ui/job-view.tsx';
import { Problem } from '../ui/problem.tsx';
import { useShowMore } from '../ui/show-more.tsx';
import { EmptyState, Notice, Skeleton } from '../ui/states.tsx';
import { useToast } from '../ui/toast.tsx';
import { DeployForm } from './deploy-form.tsx';
import { TrainForm } from './train-form.tsx';

const SHOWN_ROWS = 10;

export default function ProjectPage() {
  const { projectId = '' } = useParams();
  const project = useCall('/get-project', { project_id: projectId });
  const deployment = useDeployment(projectId);
  const [dialog, setDialog] = useState<'train' | 'shutdown' | 'delete' | { deploy: string; ranker?: string } | null>(
    null,
  );
  const client = useClient();
  const refresh = useRefresh();
  const toast = useToast();
  const [, navigate] = useLocation();
  const crumbs = [{ name: 'Projects', path: '/projects' }];
  if (project.error) {
    return (
      <Page title="Project" crumbs={crumbs}>
        <Problem error={project.error} onRetry={() => project.refetch()} />
      </Page>
    );
  }
  const models = deployment.models.data?.models ?? [];
  const close = () => setDialog(null);
  const train = (
    <Button look="primary" onPress={() => setDialog('train')}>
      Train a model
    </Button>
  );
  return (
    <Page
      title={project.data?.name ?? ' '}
      crumbs={crumbs}
      lead={project.data && `Optimised for “${project.data.target_event_type}” events.`}
      actions={
        <>
          <Button look="quiet" icon aria-label="Delete this project" onPress={() => setDialog('delete')}>
            <Trash2 size={17} aria-hidden />
          </Button>
          {train}
        </>
      }
    >
      <RunningJobs projectId={projectId} />
      <ServingCard
        projectId={projectId}
        servingUri={project.data?.serving_uri}
        current={deployment.current}
        isLoading={deployment.models.isLoading}
        onShutdown={() => setDialog('shutdown')}
      />
      <Card
        title="Models"
        lead={
          models.some((model) => model.metrics) &&
          'Each bar is NDCG at 10 on held-out newest events, beside what recommending the most popular items reaches.'
        }
      >
        {deployment.models.error ? (
          <Problem error={deployment.models.error} onRetry={() => deployment.models.refetch()} />
        ) : !deployment.models.data ? (
          <Skeleton height={160} label="Loading models" />
        ) : models.length === 0 ? (
          <EmptyState title="No model yet" action={train}>
            Training reads the events, tries what works on held-out ones, and keeps the best. It takes seconds to a few
            minutes on a million events.
          </EmptyState>
        ) : (
          <ModelTable
            models={models}
            current={deployment.current}
            projectId={projectId}
            onDeploy={(modelId) => setDialog({ deploy: modelId })}
          />
        )}
      </Card>
      {deployment.history.length > 0 && (
        <DeploymentHistory
          history={deployment.history}
          current={deployment.current}
          models={models}
          onRollBack={(deploy, ranker) => setDialog({ deploy, ranker })}
        />
      )}
      <Dialog title="Train a model" isOpen={dialog === 'train'} onClose={close}>
        <TrainForm projectId={projectId} onSubmitted={close} />
      </Dialog>
      <Dialog title="Deploy a model" isOpen={typeof dialog === 'object' && dialog !== null} onClose={close}>
        <DeployForm
          projectId={projectId}
          models={models}
          generatorId={typeof dialog === 'object' && dialog !== null ? dialog.deploy : null}
          rankerId={typeof dialog === 'object' && dialog !== null ? dialog.ranker : undefined}
          onSubmitted={close}
        />
      </Dialog>
      <ConfirmDialog
        title="Shut the deployment down?"
        isOpen={dialog === 'shutdown'}
        onClose={close}
        confirm="Shut it down"
        danger
        action={async () => {
          await client.shutdownDeployment({ project_id: projectId });
          await refresh('/list-models', '/get-model');
          toast('The project no longer serves recommendations');
        }}
      >
        Recommendation calls of this project are refused until a model is deployed again. No model is deleted.
      </ConfirmDialog>
      <ConfirmDialog
        title={`Delete “${project.data?.name ?? ''}”?`}
        isOpen={dialog === 'delete'}
        onClose={close}
        confirm="Delete the project"
        danger
        action={async () => {
          await client.deleteProject({ project_id: projectId });
          await refresh('/list-projects');
          toast('The project was deleted');
          navigate('/projects');
        }}
      >
        Its algorithms, models and jobs go with it; the datasets stay. This cannot be undone.
      </ConfirmDialog>
    </Page>
  );
}

function RunningJobs({ projectId }: { projectId: string }) {
  const { jobs } = useRecentJobs({ projectId });
  const active = jobs.filter(isActive);
  // The newest job that failed stays in sight until a later one succeeds.
  const failed = jobs[0]?.job_status === 'FAILED' ? [jobs[0]] : [];
  return [...active, ...failed].map((job) => (
    <Card key={job.job_id}>
      <div className="stack-s">
        <div className="row spread">
          <div className="row">
            <Link href={`/jobs/${job.project_id}/${job.job_id}`}>{job.name}</Link>
            <JobStatusTag status={job.job_status} />
          </div>
          {isActive(job) && <CancelJobButton job={job} />}
        </div>
        <JobOutcome job={job} />
      </div>
    </Card>
  ));
}

function ServingCard({
  projectId,
  servingUri,
  current,
  isLoading,
  onShutdown,
}: {
  projectId: string;
  servingUri: string | undefined;
  current: CurrentDeployment | null;
  isLoading: boolean;
  onShutdown: () => void;
}) {
  if (isLoading) return <Skeleton height={120} label="Loading the deployment" />;
  if (!current) return <Notice>Nothing is deployed. Recommendation calls are refused until a model serves.</Notice>;
  return (
    <Card
      title="Serving now"
      actions={
        <>
          <Button size="small" onPress={onShutdown}>
            Shut down
          </Button>
          <LinkButton size="small" look="primary" to={`/playground/${projectId}`}>
            Playground
          </LinkButton>
        </>
      }
    >
      <Facts
        facts={[
          { name: 'Generator', value: current.generator?.name ?? '–' },
          { name: 'Ranker', value: current.ranker?.name ?? 'none' },
          { name: 'Since', value: current.job?.finished_ts ? formatAgo(current.job.finished_ts) : '–' },
          {
            name: 'Calls a second',
            value: typeof current.job?.job_data.qps === 'number' ? current.job.job_data.qps : '–',
          },
        ]}
      />
      <p className="address hint">
        Answers at <code>{servingUri}/recommend-items-to-user</code>
      </p>
    </Card>
  );
}

function ModelTable({
  models,
  current,
  projectId,
  onDeploy,
}: {
  models: Model[];
  current: CurrentDeployment | null;
  projectId: string;
  onDeploy: (modelId: string) => void;
}) {
  const shown = useShowMore(models, SHOWN_ROWS);
  const best = Math.max(1e-9, ...models.map((model) => model.metrics?.model.ndcg ?? 0));
  const columns: Column<Model>[] = [
    {
      head: 'Model',
      cell: (model) => (
        <>
          <Link href={`/projects/${projectId}/models/${model.model_id}`}>{model.name}</Link>
          <div className="hint" title={formatDateTime(model.created_ts)}>
            {formatAgo(model.created_ts)}
          </div>
        </>
      ),
    },
    {
      head: 'Quality against popularity',
      wide: true,
      cell: (model) =>
        model.metrics ? (
          <TwinBar model={model.metrics.model.ndcg} baseline={model.metrics.popularity.ndcg} top={best} />
        ) : (
          <span className="hint">Too few events to hold some out</span>
        ),
    },
    {
      head: 'Recall',
      align: 'number',
      cell: (model) => (model.metrics ? formatNumber(model.metrics.model.recall) : '–'),
    },
    {
      head: 'Coverage',
      align: 'number',
      cell: (model) => (model.metrics ? formatNumber(model.metrics.model.coverage) : '–'),
    },
    {
      head: 'Role',
      cell: (model) => {
        const role = roleOf(model, current);
        return role ? <span className="tag accent">{role}</span> : <span className="hint">–</span>;
      },
    },
    {
      head: 'Actions',
      headHidden: true,
      cell: (model) => (
        <Button size="small" onPress={() => onDeploy(model.model_id)} aria-label={`Deploy ${model.name}`}>
          <Rocket size={14} aria-hidden /> Deploy
        </Button>
      ),
    },
  ];
  return (
    <>
      <DataTable caption="Models" columns={columns} rows={shown.rows} keyOf={(model) => model.model_id} />
      {shown.more}
    </>
  );
}

function TwinBar({ model, baseline, top }: { model: number; baseline: number; top: number }) {
  const text = `NDCG ${formatNumber(model)}; popularity ${formatNumber(baseline)}`;
  return (
    <div className="twin-bar" role="img" aria-label={text} title={text}>
      <span className="compare-track">
        <span className="compare-fill strong" style={{ width: `${(model / top) * 100}%` }} />
      </span>
      <span className="numbers small">{formatNumber(model)}</span>
      <span className="compare-track slim">
        <span className="compare-fill" style={{ width: `${Math.min(1, baseline / top) * 100}%` }} />
      </span>
      <span className="numbers small faint">{formatNumber(baseline)}</span>
    </div>
  );
}

function DeploymentHistory({
  history,
  current,
  models,
  onRollBack,
}: {
  history: Job[];
  current: CurrentDeployment | null;
  models: Model[];
  onRollBack: (generatorId: string, rankerId?: string) => void;
}) {
  const shown = useShowMore(history, SHOWN_ROWS);
  const nameOf = (id: unknown) => models.find((model) => model.model_id === id)?.name;
  const columns: Column<Job>[] = [
    { head: 'Deployed', cell: (job) => formatDateTime(job.finished_ts ?? job.created_ts) },
    { head: 'Generator', cell: (job) => nameOf(job.job_data.generator_model_id) ?? 'deleted model' },
    {
      head: 'Ranker',
      cell: (job) => (job.job_data.ranker_model_id ? (nameOf(job.job_data.ranker_model_id) ?? 'deleted model') : '–'),
    },
    {
      head: 'Actions',
      headHidden: true,
      cell: (job) =>
        job.job_id === current?.job?.job_id ? (
          <span className="tag accent">serving</span>
        ) : nameOf(job.job_data.generator_model_id) ? (
          <Button
            size="small"
            onPress={() =>
              onRollBack(
                String(job.job_data.generator_model_id),
                nameOf(job.job_data.ranker_model_id) ? String(job.job_data.ranker_model_id) : undefined,
              )
            }
            aria-label={`Roll back to ${nameOf(job.job_data.generator_model_id)}`}
          >
            <Undo2 size={14} aria-hidden /> Roll back to this
          </Button>
        ) : null,
    },
  ];
  return (
    <Card title="Earlier deployments" lead="A switch happens without a failed call; shutting down first is not needed.">
      <DataTable caption="Earlier deployments" columns={columns} rows={shown.rows} keyOf={(job) => job.job_id} />
      {shown.more}
    </Card>
  );
}
