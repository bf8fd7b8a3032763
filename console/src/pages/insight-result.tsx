// The result of a question about users: progress while the job runs, then the chart, the text and the files.
import { Download } from 'lucide-react';
import { useParams } from 'wouter';
import type { Job } from '../../../src/client/index.ts';
import { isActive } from '../../../src/domain/job-status.ts';
import { type ResultFormat, resultAddress } from '../api/download.ts';
import {
  type DistributionEntry,
  type ListEntry,
  type ResultFile,
  ResultTooLarge,
  useResultFile,
} from '../api/results.ts';
import { useJob } from '../api/use-jobs.ts';
import { formatDateTime } from '../format.ts';
import { Page } from '../shell/page.tsx';
import { LinkButton } from '../ui/button.tsx';
import { CancelJobButton } from '../ui/cancel-job.tsx';
import { Card } from '../ui/card.tsx';
import { JobOutcome } from '../ui/job-view.tsx';
import { Problem } from '../ui/problem.tsx';
import { Notice, Skeleton } from '../ui/states.tsx';
import { ClusterResult } from './result-clusters.tsx';
import { DistributionResult } from './result-distribution.tsx';
import { UserListResult } from './result-user-list.tsx';

const FORMATS: { format: ResultFormat; name: string }[] = [
  { format: 'json', name: 'JSON' },
  { format: 'csv', name: 'CSV' },
  { format: 'svg', name: 'SVG' },
];

export default function InsightResultPage() {
  const { projectId = '', jobId = '' } = useParams();
  const job = useJob(projectId, jobId);
  const result = useResultFile(job.data);
  const crumbs = [{ name: 'Insight', path: '/insight' }];
  if (job.error) {
    return (
      <Page title="Insight" crumbs={crumbs}>
        <Problem error={job.error} onRetry={() => job.refetch()} />
      </Page>
    );
  }
  if (!job.data) {
    return (
      <Page title="Insight" crumbs={crumbs}>
        <Skeleton height={360} label="Loading" />
      </Page>
    );
  }
  const message = job.data.job_result?.message;
  return (
    <Page
      title={job.data.name}
      crumbs={crumbs}
      lead={typeof message === 'string' ? message : undefined}
      actions={<Actions job={job.data} />}
    >
      {job.data.job_status !== 'SUCCEED' ? (
        <Card>
          <div className="stack">
            <JobOutcome job={job.data} />
            {!isActive(job.data) && (
              <div>
                <LinkButton to="/insight">New question</LinkButton>
              </div>
            )}
          </div>
        </Card>
      ) : result.error instanceof ResultTooLarge ? (
        <Notice>{result.error.message}</Notice>
      ) : result.error ? (
        <Problem error={result.error} onRetry={() => result.refetch()} />
      ) : !result.data ? (
        <Skeleton height={420} label="Loading the result" />
      ) : (
        <Shown job={job.data} result={result.data} />
      )}
    </Page>
  );
}

function Actions({ job }: { job: Job }) {
  if (isActive(job)) return <CancelJobButton job={job} />;
  const url = job.job_result?.download_url;
  if (typeof url !== 'string') return null;
  const until = Number(job.job_result?.expired_at_sec) * 1000;
  return (
    <div className="stack-s">
      <div className="row">
        {FORMATS.map(({ format, name }) => (
          <a
            key={format}
            className="button small"
            href={resultAddress(url, format)}
            download={`${job.job_id}.${format}`}
          >
            <Download size={14} aria-hidden /> {name}
          </a>
        ))}
      </div>
      <span className="hint">until {formatDateTime(until)}</span>
    </div>
  );
}

function Shown({ job, result }: { job: Job; result: ResultFile }) {
  if (result.groups) return <ClusterResult job={job} result={result} />;
  return (result.queries ?? []).map((entry, index) => {
    const key = `${index}-${JSON.stringify(entry.query)}`;
    if ('edges' in entry) return <DistributionResult key={key} job={job} entry={entry as DistributionEntry} />;
    return <UserListResult key={key} job={job} entry={entry as ListEntry} total={result.total_users} />;
  });
}
