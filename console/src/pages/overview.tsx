// The page people keep open: a welcome while the account is empty; else what recommendations do, what needs attention, how fresh
// everything is, the next step and the latest jobs of a project.
import { Upload } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Project } from '../../../src/client/index.ts';
import { isActive } from '../../../src/domain/job-status.ts';
import { DATASET_KINDS, KIND_NAMES, useDatasets } from '../api/datasets.ts';
import { useDeployment } from '../api/deployment.ts';
import { useProjectChoice } from '../api/project-choice.ts';
import { useCall } from '../api/use-call.ts';
import { useRecentJobs } from '../api/use-jobs.ts';
import { capital, formatAgo, formatCompact, formatNumber } from '../format.ts';
import { Page } from '../shell/page.tsx';
import { LinkButton } from '../ui/button.tsx';
import { Card, Facts } from '../ui/card.tsx';
import { JobProgressBar, JobStatusTag } from '../ui/job-view.tsx';
import { Problem } from '../ui/problem.tsx';
import { ProjectPicker } from '../ui/project-picker.tsx';
import { Skeleton } from '../ui/states.tsx';
import { AutomationSwitch } from './automation-switch.tsx';
import { FreshnessCard, Warnings } from './freshness-card.tsx';
import { OutcomeTiles } from './outcome-tiles.tsx';
import { Welcome } from './welcome.tsx';

const POLL_MS = 10_000;

export default function OverviewPage() {
  const datasets = useDatasets();
  const { projects, project, pick } = useProjectChoice();
  const [loadingSample, setLoadingSample] = useState(false);
  const error = datasets.error ?? projects.error;
  if (error) {
    return (
      <Page title="Overview">
        <Problem error={error} onRetry={() => void Promise.all([datasets.refetch(), projects.refetch()])} />
      </Page>
    );
  }
  if (datasets.isLoading || projects.isLoading) {
    return (
      <Page title="Overview">
        <Skeleton height={120} label="Loading the overview" />
        <Skeleton height={240} />
      </Page>
    );
  }
  if (datasets.isEmpty || loadingSample) return <Welcome onLoading={setLoadingSample} />;
  const list = projects.data ?? [];
  return (
    <Page
      title="Overview"
      actions={
        <>
          {project && <ProjectPicker projects={list} project={project} onPick={pick} />}
          <LinkButton needs="/upsert-dataset-items" to="/import">
            <Upload size={16} aria-hidden /> Import files
          </LinkButton>
        </>
      }
    >
      {project ? (
        <ProjectOverview key={project.project_id} project={project} />
      ) : (
        <>
          <StoredData datasets={datasets} />
          <Card title="Next: your first recommendations" lead="Your data is imported. Four short steps are left.">
            <LinkButton needs="/submit-training-job" to="/start" look="primary">
              Continue
            </LinkButton>
          </Card>
        </>
      )}
    </Page>
  );
}

function StoredData({ datasets }: { datasets: ReturnType<typeof useDatasets> }) {
  return (
    <Card>
      <Facts
        big
        facts={DATASET_KINDS.map((kind) => ({
          name: capital(KIND_NAMES[kind].many),
          value: formatCompact(datasets[kind].reduce((sum, dataset) => sum + dataset.recordCount, 0)),
        }))}
      />
    </Card>
  );
}

function ProjectOverview({ project }: { project: Project }) {
  const status = useCall('/get-project-status', { project_id: project.project_id }, { pollMs: POLL_MS });
  if (status.error) return <Problem error={status.error} onRetry={() => void status.refetch()} />;
  const isServing = status.data !== undefined && status.data.model !== null;
  return (
    <>
      {status.data && <Warnings project={project} status={status.data} />}
      {isServing && <OutcomeTiles project={project} />}
      <FreshnessCard status={status.data} />
      <ProjectSummary project={project} />
      <RecentJobs projectId={project.project_id} />
    </>
  );
}

function ProjectSummary({ project }: { project: Project }) {
  const { models, current } = useDeployment(project.project_id);
  const newest = models.data?.[0];
  const step = !newest ? 'train' : !current ? 'deploy' : 'done';
  const figures = (current?.generator ?? newest)?.metrics;
  return (
    <Card
      title={project.name}
      actions={
        <>
          <LinkButton size="small" to={`/projects/${project.project_id}`}>
            Models
          </LinkButton>
          {current === undefined ? null : step === 'done' ? (
            <LinkButton size="small" look="primary" to={`/playground/${project.project_id}`}>
              Playground
            </LinkButton>
          ) : (
            <LinkButton needs="/submit-training-job" size="small" look="primary" to={`/start/${project.project_id}`}>
              {step === 'train' ? 'Train a model' : 'Deploy the model'}
            </LinkButton>
          )}
        </>
      }
    >
      {models.error ? (
        <Problem error={models.error} onRetry={() => models.refetch()} />
      ) : current === undefined ? (
        <Skeleton height={48} />
      ) : (
        <Facts
          facts={[
            { name: 'Serving', value: current ? (current.generator?.name ?? 'a model') : 'nothing yet' },
            {
              name: 'NDCG at 10',
              value: figures
                ? `${formatNumber(figures.model.ndcg)} (popularity ${formatNumber(figures.popularity.ndcg)})`
                : '–',
            },
            { name: 'Models', value: models.data?.length ?? 0 },
            { name: 'Optimized for', value: project.target_event_type },
          ]}
        />
      )}
      {newest && <AutomationSwitch project={project} />}
    </Card>
  );
}

function RecentJobs({ projectId }: { projectId: string }) {
  const { jobs, isLoading } = useRecentJobs({ project_id: projectId });
  return (
    <Card title="Latest jobs" actions={<Link href="/jobs">All jobs</Link>}>
      {isLoading ? (
        <Skeleton height={120} label="Loading jobs" />
      ) : jobs.length === 0 ? (
        <p className="hint">None yet.</p>
      ) : (
        <ul className="job-list">
          {jobs.slice(0, 5).map((job) => (
            <li key={job.job_id}>
              <Link href={`/jobs/${job.project_id}/${job.job_id}`} className="clip">
                {job.name}
              </Link>
              <JobStatusTag status={job.job_status} />
              <span className="hint nowrap">{formatAgo(job.created_ts)}</span>
              {isActive(job) && (
                <div className="whole-line">
                  <JobProgressBar job={job} slim />
                </div>
              )}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
