// One project: what it serves, its models compared with the baseline, training, earlier deployments.
import { Trash2, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { isActive } from '../../../src/domain/job-status.ts';
import { useAutomationStatus } from '../api/automation.ts';
import type { CurrentDeployment } from '../api/current-deployment.ts';
import { useDeployment } from '../api/deployment.ts';
import { useCall, useRefresh } from '../api/use-call.ts';
import { useRecentJobs } from '../api/use-jobs.ts';
import { formatAgo, formatWhole } from '../format.ts';
import { useClient } from '../session/session.tsx';
import { Page } from '../shell/page.tsx';
import { Button, LinkButton } from '../ui/button.tsx';
import { CancelJobButton } from '../ui/cancel-job.tsx';
import { Card, Facts } from '../ui/card.tsx';
import { ConfirmDialog, Dialog } from '../ui/dialog.tsx';
import { JobOutcome, JobStatusTag } from '../ui/job-view.tsx';
import { Problem } from '../ui/problem.tsx';
import { EmptyState, Notice, Skeleton } from '../ui/states.tsx';
import { useToast } from '../ui/toast.tsx';
import { AssistWindowCard } from './assist-window-card.tsx';
import { AutomationCard } from './automation-card.tsx';
import { DefaultProject } from './default-project.tsx';
import { DeployForm } from './deploy-form.tsx';
import { DeploymentHistory } from './deployment-history.tsx';
import { ListsCard } from './lists-card.tsx';
import { ModelTable } from './model-table.tsx';
import { TrainForm } from './train-form.tsx';

export default function ProjectPage() {
  const { projectId = '' } = useParams();
  const project = useCall('/get-project', { project_id: projectId });
  const deployment = useDeployment(projectId);
  const automation = useAutomationStatus(projectId);
  const [dialog, setDialog] = useState<
    'train' | 'shutdown' | 'rollback' | 'delete' | { deploy: string; ranker?: string } | null
  >(null);
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
  const models = deployment.models.data ?? [];
  const earlier = models.find(({ model_id }) => model_id === automation.data?.rollback_model_id);
  const close = () => setDialog(null);
  const train = (
    <Button needs="/submit-training-job" look="primary" onPress={() => setDialog('train')}>
      Train a model
    </Button>
  );
  return (
    <Page
      title={project.data?.name ?? ' '}
      crumbs={crumbs}
      lead={project.data && `Optimized for “${project.data.target_event_type}” events.`}
      actions={
        <>
          <Button
            needs="/delete-project"
            look="quiet"
            icon
            aria-label="Delete this project"
            onPress={() => setDialog('delete')}
          >
            <Trash2 size={17} aria-hidden />
          </Button>
          <LinkButton to={`/projects/${projectId}/segment`}>Segment</LinkButton>
          {train}
        </>
      }
    >
      <RunningJobs projectId={projectId} />
      <ServingCard
        projectId={projectId}
        servingUri={project.data?.serving_uri}
        current={deployment.current}
        onShutdown={() => setDialog('shutdown')}
        onRollBack={earlier && (() => setDialog('rollback'))}
      />
      <Card
        title="Models"
        lead={
          models.some((model) => model.metrics) &&
          'Each bar is NDCG at 10 on the newest events at the time of training, next to a list of the most popular items.'
        }
      >
        {deployment.models.error ? (
          <Problem error={deployment.models.error} onRetry={() => deployment.models.refetch()} />
        ) : deployment.current === undefined ? (
          <Skeleton height={160} label="Loading models" />
        ) : models.length === 0 ? (
          <EmptyState title="No models yet" action={train}>
            Training reads your events, tests several methods on held-out events and keeps the best blend. It takes from
            seconds to a few minutes for a million events.
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
      {models.length > 0 && <ListsCard projectId={projectId} />}
      {project.data && models.length > 0 && <AutomationCard project={project.data} models={models} />}
      {project.data && <AssistWindowCard project={project.data} />}
      {deployment.current !== undefined && deployment.history.length > 0 && (
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
          models={models}
          generatorId={typeof dialog === 'object' && dialog !== null ? dialog.deploy : null}
          rankerId={typeof dialog === 'object' && dialog !== null ? dialog.ranker : undefined}
          onSubmitted={close}
        />
      </Dialog>
      <ConfirmDialog
        title="Shut down the deployment?"
        isOpen={dialog === 'shutdown'}
        onClose={close}
        confirm="Shut down"
        danger
        action={async () => {
          await client.shutdownDeployment({ project_id: projectId });
          await refresh('/list-models', '/get-model');
          toast('Deployment shut down');
        }}
      >
        Recommendation calls to this project fail until you deploy a model again. No model is deleted.
      </ConfirmDialog>
      <ConfirmDialog
        title="Roll back?"
        isOpen={dialog === 'rollback'}
        onClose={close}
        confirm="Roll back"
        action={async () => {
          await client.rollbackDeployment({
            project_id: projectId,
            from_model_id: deployment.current?.generator?.model_id,
          });
          await refresh('/list-jobs', '/get-automation-status');
          toast(`Rolling back to ${earlier?.name}`);
        }}
      >
        {earlier?.name} serves again, as before this deployment. No call fails, and no model is deleted.
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
          toast('Project deleted');
          navigate('/projects');
        }}
      >
        Its algorithms, models and jobs are deleted too; its datasets are kept. This cannot be undone.
      </ConfirmDialog>
    </Page>
  );
}

function RunningJobs({ projectId }: { projectId: string }) {
  const { jobs } = useRecentJobs({ project_id: projectId });
  const active = jobs.filter(isActive);
  // A failed job stays visible until a later one of its type has ended: automation submits jobs of other types on its own.
  const ended = jobs.filter((job) => !isActive(job));
  const failed = ended.filter(
    (job) => job.job_status === 'FAILED' && job === ended.find(({ job_type }) => job_type === job.job_type),
  );
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
  onShutdown,
  onRollBack,
}: {
  projectId: string;
  servingUri: string | undefined;
  /** undefined: not known yet */
  current: CurrentDeployment | null | undefined;
  onShutdown: () => void;
  /** undefined: there is no earlier model */
  onRollBack: (() => void) | undefined;
}) {
  if (current === undefined) return <Skeleton height={120} label="Loading the deployment" />;
  if (!current) return <Notice>Nothing is deployed. Recommendation calls fail until you deploy a model.</Notice>;
  return (
    <Card
      title="Serving now"
      actions={
        <>
          {onRollBack && (
            <Button needs="/rollback-deployment" size="small" onPress={onRollBack}>
              <Undo2 size={14} aria-hidden /> Roll back
            </Button>
          )}
          <Button needs="/shutdown-deployment" size="small" onPress={onShutdown}>
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
            name: 'Rate limit (requests per second)',
            value: rateText(current.job?.job_result?.qps ?? current.job?.job_data.qps),
          },
        ]}
      />
      <p className="address hint">
        Serves at <code>{servingUri}</code>
      </p>
      <DefaultProject projectId={projectId} />
    </Card>
  );
}

const rateText = (qps: unknown): string => (typeof qps === 'number' ? formatWhole(qps) : '–');
