// Lists for many users on the page of a project: the newest jobs and their files.
import { Link } from 'wouter';
import type { Job } from '../../../src/client/index.ts';
import { listPath } from '../api/list-jobs.ts';
import { useRecentJobs } from '../api/use-jobs.ts';
import { formatAgo } from '../format.ts';
import { LinkButton } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { JobResultLine, JobStatusTag } from '../ui/job-view.tsx';
import { useShowMore } from '../ui/show-more.tsx';
import { DownloadFile } from './download-file.tsx';

const SHOWN_JOBS = 5;

export function ListsCard({ projectId }: { projectId: string }) {
  const { jobs } = useRecentJobs({ project_id: projectId, job_type: 'RECOMMENDATION' });
  const shown = useShowMore(jobs, SHOWN_JOBS);
  return (
    <Card
      title="Lists for many users"
      lead="Recommendations for all users in one file: for newsletters, push messages and your warehouse. Files are kept for 24 hours."
      actions={
        <LinkButton needs="/submit-recommendation-job" size="small" to={`/projects/${projectId}/lists`}>
          Make lists
        </LinkButton>
      }
    >
      {jobs.length === 0 ? (
        <p className="hint">Nothing yet.</p>
      ) : (
        <>
          <DataTable<Job>
            caption="Lists for many users"
            rows={shown.rows}
            keyOf={(job) => job.job_id}
            columns={[
              { head: 'Lists', cell: (job) => <Link href={listPath(job)}>{job.name}</Link> },
              { head: 'Status', cell: (job) => <JobStatusTag status={job.job_status} /> },
              {
                head: 'Result',
                wide: true,
                cell: (job) => <JobResultLine job={job} />,
              },
              { head: 'Made', cell: (job) => <span className="nowrap">{formatAgo(job.created_ts)}</span> },
              { head: 'File', headHidden: true, cell: (job) => <DownloadFile job={job} small /> },
            ]}
          />
          {shown.more}
        </>
      )}
    </Card>
  );
}
