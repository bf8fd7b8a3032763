// All jobs, newest first, updated while any of them runs.
import { ListChecks } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Job, JobStatus, JobType } from '../../../src/client/index.ts';
import { isActive } from '../../../src/domain/job-status.ts';
import { useJobs, useProjects } from '../api/use-jobs.ts';
import { formatAgo, formatDateTime, formatDuration } from '../format.ts';
import { Page } from '../shell/page.tsx';
import { LinkButton } from '../ui/button.tsx';
import { CancelJobButton } from '../ui/cancel-job.tsx';
import { Card } from '../ui/card.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { SelectField } from '../ui/field.tsx';
import { JOB_TYPE_NAMES, JobProgressBar, JobStatusTag, jobDurationMs } from '../ui/job-view.tsx';
import { Pager, usePages } from '../ui/pager.tsx';
import { Problem } from '../ui/problem.tsx';
import { EmptyState, Skeleton } from '../ui/states.tsx';

const PAGE_ROWS = 50;
const ANY = 'any';

export default function JobsPage() {
  const projects = useProjects();
  const [projectId, setProjectId] = useState(ANY);
  const [type, setType] = useState<JobType | typeof ANY>(ANY);
  const [status, setStatus] = useState<JobStatus | typeof ANY>(ANY);
  const pages = usePages();
  const listed = useJobs(
    {
      project_id: projectId === ANY ? undefined : projectId,
      job_type: type === ANY ? undefined : type,
      job_status: status === ANY ? undefined : status,
      page_size: PAGE_ROWS,
      page_token: pages.token,
    },
    { keepPrevious: true },
  );
  /** A new filter starts at the first page. */
  const choosing =
    <Value,>(set: (value: Value) => void) =>
    (value: Value) => {
      set(value);
      pages.first();
    };
  const projectNames = new Map(projects.data?.map((project) => [project.project_id, project.name]));
  const isFiltered = projectId !== ANY || type !== ANY || status !== ANY;

  const columns: Column<Job>[] = [
    {
      head: 'Job',
      cell: (job) => (
        <>
          <Link href={`/jobs/${job.project_id}/${job.job_id}`}>{job.name}</Link>
          <div className="hint">
            {JOB_TYPE_NAMES[job.job_type]} · {projectNames.get(job.project_id) ?? job.project_id}
          </div>
        </>
      ),
    },
    { head: 'Status', cell: (job) => <JobStatusTag status={job.job_status} /> },
    {
      head: 'Progress',
      wide: true,
      cell: (job) =>
        isActive(job) ? (
          <JobProgressBar job={job} slim />
        ) : (
          <span className={job.failure_reason ? 'field-error' : 'hint'}>
            {job.failure_reason?.message ?? outcome(job)}
          </span>
        ),
    },
    { head: 'Retries', align: 'number', cell: (job) => job.retry_count },
    {
      head: 'Took',
      align: 'number',
      cell: (job) => {
        const ms = jobDurationMs(job);
        return ms === null ? '–' : formatDuration(ms);
      },
    },
    {
      head: 'Created',
      cell: (job) => (
        <time dateTime={new Date(job.created_ts).toISOString()} title={formatDateTime(job.created_ts)}>
          {formatAgo(job.created_ts)}
        </time>
      ),
    },
    { head: 'Actions', headHidden: true, cell: (job) => isActive(job) && <CancelJobButton job={job} /> },
  ];

  return (
    <Page title="Jobs" lead="Training, deployment, queries, clustering, lists and exports. Updates automatically.">
      <div className="filters">
        <SelectField
          label="Project"
          value={projectId}
          onChange={choosing(setProjectId)}
          choices={[
            { value: ANY, label: 'All projects' },
            ...(projects.data ?? []).map((project) => ({ value: project.project_id, label: project.name })),
          ]}
        />
        <SelectField
          label="Type"
          value={type}
          onChange={choosing(setType)}
          choices={[
            { value: ANY, label: 'All types' },
            ...(Object.keys(JOB_TYPE_NAMES) as JobType[]).map((value) => ({ value, label: JOB_TYPE_NAMES[value] })),
          ]}
        />
        <SelectField
          label="Status"
          value={status}
          onChange={choosing(setStatus)}
          choices={[
            { value: ANY, label: 'All statuses' },
            { value: 'PENDING', label: 'Waiting' },
            { value: 'RUNNING', label: 'Running' },
            { value: 'SUCCEED', label: 'Succeeded' },
            { value: 'FAILED', label: 'Failed' },
            { value: 'CANCELLED', label: 'Canceled' },
          ]}
        />
      </div>
      <Card>
        {listed.error ? (
          <Problem error={listed.error} onRetry={() => listed.refetch()} />
        ) : !listed.data ? (
          <Skeleton height={240} label="Loading jobs" />
        ) : listed.data.jobs.length === 0 ? (
          <EmptyState
            icon={<ListChecks size={36} strokeWidth={1.4} aria-hidden />}
            title={isFiltered ? 'No matching jobs' : 'No jobs yet'}
            action={isFiltered ? undefined : <LinkButton to="/">Go to overview</LinkButton>}
          >
            {isFiltered
              ? 'Choose another project, type or status above.'
              : 'A job appears here when you train or deploy a model, or ask a question about your users.'}
          </EmptyState>
        ) : (
          <>
            <DataTable caption="Jobs" columns={columns} rows={listed.data.jobs} keyOf={(job) => job.job_id} />
            <Pager pages={pages} list={listed} />
          </>
        )}
      </Card>
    </Page>
  );
}

function outcome(job: Job): string {
  const message = job.job_result?.message;
  if (typeof message === 'string') return message;
  return job.job_status === 'CANCELLED' ? 'Canceled' : 'Done';
}
