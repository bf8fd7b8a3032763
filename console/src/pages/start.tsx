// The guided path: data → project → train → deploy → recommendations. Every step is read from the service, so the page can
// be left and reopened at the same step.
import { Check } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useLocation, useParams } from 'wouter';
import type { Job, Model, Project } from '../../../src/client/index.ts';
import { isActive } from '../../../src/domain/job-status.ts';
import { currentDeployment } from '../api/current-deployment.ts';
import { type DatasetKind, useDatasets } from '../api/datasets.ts';
import { useProjectModels } from '../api/deployment.ts';
import { submitDeployment, submitTraining } from '../api/submit-jobs.ts';
import { useCall, useRefresh } from '../api/use-call.ts';
import { useRecentJobs } from '../api/use-jobs.ts';
import { formatCompact, formatNumber } from '../format.ts';
import { useClient } from '../session/session.tsx';
import { Page } from '../shell/page.tsx';
import { useAction } from '../ui/action.ts';
import { Button, LinkButton } from '../ui/button.tsx';
import { JobOutcome } from '../ui/job-view.tsx';
import { Problem } from '../ui/problem.tsx';
import { Skeleton } from '../ui/states.tsx';
import { FirstRecommendations } from './first-recommendations.tsx';
import { ProjectForm } from './project-form.tsx';

export default function StartPage() {
  const { projectId } = useParams();
  const [, navigate] = useLocation();
  const project = useCall('/get-project', { project_id: projectId ?? '' }, { enabled: Boolean(projectId) });
  return (
    <Page title="Your first recommendations" lead="A few short steps. You can leave this page while a step runs.">
      <section className="card">
        <ol className="steps">
          <DataStep project={project.data} isLoading={project.isLoading} />
          {projectId ? (
            project.data ? (
              <ProjectSteps project={project.data} />
            ) : project.error ? (
              <Problem error={project.error} onRetry={() => project.refetch()} />
            ) : (
              <Skeleton height={300} label="Loading the project" />
            )
          ) : (
            <>
              <Step number={2} name="Create a project" state="current">
                <ProjectForm onCreated={(id) => navigate(`/start/${id}`)} />
              </Step>
              <Step number={3} name="Train a model" state="later" />
              <Step number={4} name="Deploy it" state="later" />
              <Step number={5} name="Get recommendations" state="later" />
            </>
          )}
        </ol>
      </section>
    </Page>
  );
}

type StepState = 'done' | 'current' | 'later';

function Step({
  number,
  name,
  state,
  children,
}: {
  number: number;
  name: string;
  state: StepState;
  children?: ReactNode;
}) {
  return (
    <li className={`step ${state}`} aria-current={state === 'current' ? 'step' : undefined}>
      <span className="step-mark" aria-hidden>
        {state === 'done' ? <Check size={18} /> : number}
      </span>
      <div className="step-body">
        <h2>
          {name}
          {state === 'done' && <span className="visually-hidden"> (done)</span>}
        </h2>
        {children}
      </div>
    </li>
  );
}

/** Without a project it counts the records of all datasets. */
function DataStep({ project, isLoading }: { project: Project | undefined; isLoading: boolean }) {
  const datasets = useDatasets();
  const count = (kind: DatasetKind) =>
    formatCompact(
      datasets[kind]
        .filter(({ id }) => project === undefined || id === project[`${kind}_dataset_id`])
        .reduce((sum, { recordCount }) => sum + recordCount, 0),
    );
  return (
    <Step number={1} name="Add data" state={datasets.isEmpty ? 'current' : 'done'}>
      {datasets.isLoading || isLoading ? (
        <p className="hint">…</p>
      ) : datasets.isEmpty ? (
        <LinkButton to="/" look="primary">
          Choose your data
        </LinkButton>
      ) : (
        <p className="hint">
          {count('user')} users, {count('item')} items, {count('event')} events.
        </p>
      )}
    </Step>
  );
}

function ProjectSteps({ project }: { project: Project }) {
  const { jobs, isLoading } = useRecentJobs({ project_id: project.project_id });
  const training = jobs.find((job) => job.job_type === 'TRAINING');
  const deploying = jobs.find((job) => job.job_type === 'DEPLOYMENT');
  const busy = (training && isActive(training)) || (deploying && isActive(deploying));
  const models = useProjectModels(project.project_id, busy ? 1000 : false);
  const list = models.data ?? [];
  const current = currentDeployment(
    list,
    jobs.filter((job) => job.job_type === 'DEPLOYMENT'),
  );
  if (models.error && !models.data) return <Problem error={models.error} onRetry={() => models.refetch()} />;
  // Without its jobs it would offer a training to a project that is training.
  if (!models.data || isLoading) return <Skeleton height={300} label="Loading the models" />;
  return (
    <>
      <Step number={2} name="Create a project" state="done">
        <p className="hint">
          {project.name}, optimized for “{project.target_event_type}”.
        </p>
      </Step>
      <TrainStep project={project} newest={list[0]} job={training} />
      <DeployStep project={project} newest={list[0]} isDeployed={current !== null} job={deploying} />
      <Step number={5} name="Get recommendations" state={current ? 'current' : 'later'}>
        {current && <FirstRecommendations project={project} />}
      </Step>
    </>
  );
}

function TrainStep({ project, newest, job }: { project: Project; newest: Model | undefined; job: Job | undefined }) {
  const client = useClient();
  const refresh = useRefresh();
  const [submitted, setSubmitted] = useState(false);
  const train = useAction(async () => {
    await submitTraining(client, project.project_id);
    setSubmitted(true);
    await refresh('/list-jobs');
  });
  const running = job && isActive(job);
  const hasFailed = job && !running && job.job_status !== 'SUCCEED';
  const state: StepState = newest && !running ? 'done' : 'current';
  return (
    <Step number={3} name="Train a model" state={state}>
      {newest && !running ? (
        <p className="hint">
          {newest.name}
          {newest.metrics &&
            `: NDCG ${formatNumber(newest.metrics.model.ndcg)}, popularity alone reaches ${formatNumber(newest.metrics.popularity.ndcg)}.`}
        </p>
      ) : running || hasFailed ? (
        <JobOutcome job={job} />
      ) : (
        <p className="soft">
          The service reads your events, tests several methods on held-out events and keeps the best blend.
        </p>
      )}
      {train.error !== null && <Problem error={train.error} />}
      {!newest && !running && (
        <Button
          needs="/submit-training-job"
          look="primary"
          isPending={train.isPending || (submitted && !job)}
          onPress={train.start}
        >
          {hasFailed ? 'Train again' : 'Start training'}
        </Button>
      )}
    </Step>
  );
}

function DeployStep({
  project,
  newest,
  isDeployed,
  job,
}: {
  project: Project;
  newest: Model | undefined;
  isDeployed: boolean;
  job: Job | undefined;
}) {
  const client = useClient();
  const refresh = useRefresh();
  const deploy = useAction(async () => {
    await submitDeployment(client, newest!);
    await refresh('/list-jobs');
  });
  const running = job && isActive(job);
  const state: StepState = isDeployed && !running ? 'done' : newest ? 'current' : 'later';
  return (
    <Step number={4} name="Deploy it" state={state}>
      {isDeployed && !running ? (
        <p className="hint long-words">
          Serving at <code>{project.serving_uri}/recommend-items-to-user</code>
        </p>
      ) : running || (job && job.job_status === 'FAILED') ? (
        <JobOutcome job={job} />
      ) : newest ? (
        <p className="soft">Recommendation calls then use this model.</p>
      ) : null}
      {deploy.error !== null && <Problem error={deploy.error} />}
      {newest && !isDeployed && !running && (
        <Button needs="/submit-deployment-job" look="primary" isPending={deploy.isPending} onPress={deploy.start}>
          Deploy
        </Button>
      )}
    </Step>
  );
}
