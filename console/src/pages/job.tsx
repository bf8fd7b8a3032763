// Everything about one job.
import { useParams } from 'wouter';
import type { Job } from '../../../src/client/index.ts';
import { isActive } from '../../../src/domain/job-status.ts';
import { listPath } from '../api/list-jobs.ts';
import { useCall } from '../api/use-call.ts';
import { useJob } from '../api/use-jobs.ts';
import { ProgressCurve } from '../charts/progress-curve.tsx';
import { formatDateTime, formatDuration } from '../format.ts';
import { Page } from '../shell/page.tsx';
import { LinkButton } from '../ui/button.tsx';
import { CancelJobButton } from '../ui/cancel-job.tsx';
import { Card, Facts } from '../ui/card.tsx';
import { JOB_TYPE_NAMES, JobOutcome, JobStatusTag, jobDurationMs } from '../ui/job-view.tsx';
import { Problem } from '../ui/problem.tsx';
import { Skeleton } from '../ui/states.tsx';
import { DownloadFile } from './download-file.tsx';

export default function JobPage() {
  const { projectId = '', jobId = '' } = useParams();
  const job = useJob(projectId, jobId);
  const project = useCall('/get-project', { project_id: projectId });
  const crumbs = [{ name: 'Jobs', path: '/jobs' }];
  if (job.error) {
    return (
      <Page title="Job" crumbs={crumbs}>
        <Problem error={job.error} onRetry={() => job.refetch()} />
      </Page>
    );
  }
  if (!job.data) {
    return (
      <Page title="Job" crumbs={crumbs}>
        <Skeleton height={220} label="Loading the job" />
      </Page>
    );
  }
  const took = jobDurationMs(job.data);
  const { spark } = job.data.progress;
  return (
    <Page
      title={job.data.name}
      crumbs={crumbs}
      actions={isActive(job.data) ? <CancelJobButton job={job.data} /> : <NextStep job={job.data} />}
    >
      <Card>
        <div className="stack">
          <div className="row">
            <JobStatusTag status={job.data.job_status} />
            <span className="hint">{JOB_TYPE_NAMES[job.data.job_type]}</span>
          </div>
          <JobOutcome job={job.data} />
          {isActive(job.data) && <ProgressCurve job={job.data} />}
          {typeof job.data.job_result?.message === 'string' && <p>{job.data.job_result.message}</p>}
          <Facts
            facts={[
              { name: 'Project', value: project.data?.name ?? projectId },
              { name: 'Created', value: formatDateTime(job.data.created_ts) },
              { name: 'Started', value: job.data.started_ts ? formatDateTime(job.data.started_ts) : 'not yet' },
              { name: 'Took', value: took === null ? '–' : formatDuration(took) },
              { name: 'Retries', value: `${job.data.retry_count} of 3` },
              { name: 'Phase', value: job.data.progress.phase || '–' },
              { name: 'Job id', value: <code>{job.data.job_id}</code> },
              ...(spark ? [{ name: 'Spark application', value: <SparkLink {...spark} /> }] : []),
            ]}
          />
        </div>
      </Card>
      <div className="grid-2">
        <Card title="Request">
          <pre>{JSON.stringify(job.data.job_data, null, 2)}</pre>
        </Card>
        <Card title="Result">
          <pre>{job.data.job_result ? JSON.stringify(job.data.job_result, null, 2) : 'Nothing yet'}</pre>
        </Card>
      </div>
    </Page>
  );
}

function SparkLink({ application_id, address }: { application_id: string; address: string }) {
  return (
    <a href={address} target="_blank" rel="noreferrer">
      {application_id}
    </a>
  );
}

function NextStep({ job }: { job: Job }) {
  if (job.job_status !== 'SUCCEED') return <LinkButton to={`/projects/${job.project_id}`}>Open the project</LinkButton>;
  switch (job.job_type) {
    case 'TRAINING':
      return (
        <LinkButton look="primary" to={`/projects/${job.project_id}/models/${String(job.job_result?.model_id)}`}>
          Open the model
        </LinkButton>
      );
    case 'DEPLOYMENT':
      return (
        <LinkButton look="primary" to={`/playground/${job.project_id}`}>
          Try it in the playground
        </LinkButton>
      );
    case 'IMPORT':
      return (
        <LinkButton
          look="primary"
          to={`/datasets/${String(job.job_result?.kind).slice(0, -1)}/${String(job.job_result?.dataset_id)}`}
        >
          Open the dataset
        </LinkButton>
      );
    case 'RECOMMENDATION':
      return (
        <LinkButton look="primary" to={listPath(job)}>
          Open the lists
        </LinkButton>
      );
    case 'EXPORT':
      return <DownloadFile job={job} />;
    case 'DATA_HEALTH':
      return (
        <LinkButton look="primary" to={`/health/${job.project_id}`}>
          Open the report
        </LinkButton>
      );
    default:
      return (
        <LinkButton look="primary" to={`/insight/${job.project_id}/${job.job_id}`}>
          Open the result
        </LinkButton>
      );
  }
}
