// A job that makes lists for many users: its progress, then the first lists and the file.
import { Link, useParams } from 'wouter';
import type { Job } from '../../../src/client/index.ts';
import { isActive } from '../../../src/domain/job-status.ts';
import { itemInfo } from '../api/items.ts';
import { downloadOf, type ListLine, useFirstLists } from '../api/list-jobs.ts';
import { useCall } from '../api/use-call.ts';
import { useJob } from '../api/use-jobs.ts';
import { formatWhole, plural } from '../format.ts';
import { Page } from '../shell/page.tsx';
import { LinkButton } from '../ui/button.tsx';
import { CancelJobButton } from '../ui/cancel-job.tsx';
import { Card } from '../ui/card.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { JobOutcome } from '../ui/job-view.tsx';
import { Problem } from '../ui/problem.tsx';
import { EmptyState, Notice, Skeleton } from '../ui/states.tsx';
import { DownloadFile } from './download-file.tsx';
import { ListFacts } from './list-facts.tsx';

const SHOWN_ITEMS = 6;

export default function ListJobPage() {
  const { projectId = '', jobId = '' } = useParams();
  const job = useJob(projectId, jobId);
  const project = useCall('/get-project', { project_id: projectId });
  const crumbs = [
    { name: 'Projects', path: '/projects' },
    { name: project.data?.name ?? 'Project', path: `/projects/${projectId}` },
  ];
  return (
    <Page title={job.data?.name ?? 'Lists'} crumbs={crumbs} actions={job.data && <Actions job={job.data} />}>
      {job.error ? (
        <Problem error={job.error} onRetry={() => job.refetch()} />
      ) : !job.data ? (
        <Skeleton height={300} label="Loading the job" />
      ) : (
        <>
          <Card>
            <div className="stack">
              <JobOutcome job={job.data} />
              <ListFacts job={job.data} />
            </div>
          </Card>
          {job.data.job_status === 'SUCCEED' && <FirstLists job={job.data} />}
        </>
      )}
    </Page>
  );
}

function Actions({ job }: { job: Job }) {
  if (isActive(job)) return <CancelJobButton job={job} />;
  return (
    <>
      <LinkButton needs="/submit-recommendation-job" to={`/projects/${job.project_id}/lists`}>
        New lists
      </LinkButton>
      <DownloadFile job={job} />
    </>
  );
}

function FirstLists({ job }: { job: Job }) {
  const lists = useFirstLists(job);
  const { destination, total_users } = job.job_result ?? {};
  if (typeof destination === 'string') return <Notice>The file is at {destination}.</Notice>;
  if (downloadOf(job) === null) return <Notice>The file was kept for 24 hours. Make the lists again.</Notice>;
  if (lists.error) return <Problem error={lists.error} onRetry={() => lists.refetch()} />;
  if (!lists.data) return <Skeleton height={300} label="Loading the first lists" />;
  const total = Number(total_users);
  const shown = lists.data.length;
  return (
    <Card
      title={total > shown ? `First ${shown} of ${formatWhole(total)} lists` : plural(total, 'list')}
      lead="Open a user to see the list with reasons, as it is now."
    >
      {shown === 0 ? (
        <EmptyState title="No lists">No users were found.</EmptyState>
      ) : (
        <DataTable<ListLine>
          caption="First lists"
          rows={lists.data}
          keyOf={({ user_id }) => user_id}
          columns={[
            {
              head: 'User',
              cell: ({ user_id }) => (
                <Link href={`/playground/${job.project_id}/${encodeURIComponent(user_id)}`}>{user_id}</Link>
              ),
            },
            { head: 'List', wide: true, cell: (line) => <Items line={line} /> },
          ]}
        />
      )}
    </Card>
  );
}

function Items({ line: { user_id, results } }: { line: ListLine }) {
  if (results.length === 0) return <span className="hint">No items match</span>;
  const rest = results.length - SHOWN_ITEMS;
  return (
    <ol className="tags" aria-label={`List of ${user_id}`}>
      {results.slice(0, SHOWN_ITEMS).map(({ item: { item_id, ...attributes } }) => (
        <li key={item_id} className="tag" title={item_id}>
          {itemInfo(item_id, attributes).name}
        </li>
      ))}
      {rest > 0 && <li className="hint">and {formatWhole(rest)} more</li>}
    </ol>
  );
}
