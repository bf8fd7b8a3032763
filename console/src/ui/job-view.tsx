// The state of a job: status, progress while it runs, and the full reason if it failed.
import type { Job, JobStatus, JobType } from '../../../src/client/index.ts';
import { isActive } from '../../../src/domain/job-status.ts';
import { triedOf } from '../api/variants.ts';
import { TriedChart } from '../charts/tried-chart.tsx';
import { formatDuration } from '../format.ts';
import { Progress } from './progress.tsx';
import { Notice } from './states.tsx';

const STATUS_LOOK: Record<JobStatus, { text: string; tone: string }> = {
  PENDING: { text: 'Waiting', tone: 'warn' },
  RUNNING: { text: 'Running', tone: 'accent' },
  SUCCEED: { text: 'Succeeded', tone: '' },
  FAILED: { text: 'Failed', tone: 'danger' },
  CANCELLED: { text: 'Canceled', tone: '' },
};

export const JOB_TYPE_NAMES: Record<JobType, string> = {
  TRAINING: 'Training',
  DEPLOYMENT: 'Deployment',
  QUERYING: 'Query',
  CLUSTERING: 'Clustering',
  RECOMMENDATION: 'Recommendations',
  EXPORT: 'Export',
  DATA_HEALTH: 'Data check',
  IMPORT: 'Import',
};

export function JobStatusTag({ status }: { status: JobStatus }) {
  return <span className={`tag ${STATUS_LOOK[status].tone}`}>{STATUS_LOOK[status].text}</span>;
}

export function jobDurationMs(job: Job, nowMs: number = Date.now()): number | null {
  if (job.started_ts === null) return null;
  return Math.max(0, (job.finished_ts ?? nowMs) - job.started_ts);
}

function jobNote(job: Job): string {
  if (job.job_status === 'PENDING') {
    return job.retry_count > 0 ? `Waiting for attempt ${job.retry_count + 1} of 4` : 'Waiting for a free worker';
  }
  const { phase, message } = job.progress;
  return message || phase || 'Starting';
}

export function JobProgressBar({ job, slim }: { job: Job; slim?: boolean }) {
  return (
    <Progress label={`Progress of ${job.name}`} fraction={job.progress.fraction} note={jobNote(job)} slim={slim} />
  );
}

/** In a row of a table: how far it is, or what came of it. */
export function JobResultLine({ job }: { job: Job }) {
  if (isActive(job)) return <JobProgressBar job={job} slim />;
  return <span className="hint">{String(job.job_result?.message ?? job.failure_reason?.message ?? '–')}</span>;
}

function RunningJob({ job }: { job: Job }) {
  return (
    <div className="stack">
      <JobProgressBar job={job} />
      {job.job_type === 'TRAINING' && job.job_status === 'RUNNING' && (
        <TriedChart tried={triedOf(job.progress.tried)} isRunning />
      )}
    </div>
  );
}

/** Progress, the reason of a failure, or the duration. */
export function JobOutcome({ job }: { job: Job }) {
  if (isActive(job)) return <RunningJob job={job} />;
  if (job.job_status === 'FAILED') {
    return (
      <Notice tone="danger">
        <strong>{job.failure_reason?.message ?? 'The job failed.'}</strong>
        {job.failure_reason && <code>{job.failure_reason.code}</code>}
        {job.retry_count > 0 && ` after ${job.retry_count} retries`}
      </Notice>
    );
  }
  if (job.job_status === 'CANCELLED') return <Notice>The job was canceled.</Notice>;
  const took = jobDurationMs(job);
  return <p className="hint">{took === null ? 'Done.' : `Done in ${formatDuration(took)}.`}</p>;
}
