// One histogram of users by affinity, with a range to select and list its users.
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Job } from '../../../src/client/index.ts';
import type { DistributionEntry } from '../api/results.ts';
import { useRefresh } from '../api/use-call.ts';
import { type EdgeRange, RangeHistogram, usersInRange } from '../charts/range-histogram.tsx';
import { formatAffinity, formatShare, formatWhole, plural } from '../format.ts';
import { useClient } from '../session/session.tsx';
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';
import { Card, Facts } from '../ui/card.tsx';
import { Problem } from '../ui/problem.tsx';
import { Notice } from '../ui/states.tsx';

export function DistributionResult({ job, entry }: { job: Job; entry: DistributionEntry }) {
  const client = useClient();
  const refresh = useRefresh();
  const [, navigate] = useLocation();
  const bins = entry.counts.length;
  const [range, setRange] = useState<EdgeRange>([Math.floor(bins / 2), bins]);
  const title = `${entry.query.attribute}: ${String(entry.query.value)}`;
  const list = useAction(
    async () => {
      const { job_id } = await client.submitQueryingJob({
        name: `Users: ${title}, ${formatAffinity(entry.edges[range[0]])} to ${formatAffinity(entry.edges[range[1]])}`.slice(
          0,
          128,
        ),
        project_id: job.project_id,
        model_id: String(job.job_data.model_id),
        query_type: 'user_list',
        queries: [
          {
            conditions: [
              {
                attribute: entry.query.attribute,
                value: entry.query.value,
                ...(range[0] === 0 ? {} : { lower_bound: entry.edges[range[0]] }),
                ...(range[1] === bins ? {} : { upper_bound: entry.edges[range[1]] }),
              },
            ],
          },
        ],
      });
      await refresh('/list-jobs');
      return job_id;
    },
    (jobId) => navigate(`/insight/${job.project_id}/${jobId}`),
  );
  if (entry.note !== null) {
    return (
      <Card title={title}>
        <Notice tone="warn">{entry.note}</Notice>
      </Card>
    );
  }
  const distribution = {
    edges: entry.edges,
    counts: entry.counts,
    mean: entry.mean,
    median: entry.median,
  };
  const count = usersInRange(distribution, range);
  return (
    <Card title={title} lead="Drag the two handles, or move them with the arrow keys.">
      <div className="stack">
        <RangeHistogram
          distribution={distribution}
          range={range}
          onRangeChange={setRange}
          label={`Users by affinity to ${title}`}
        />
        <div className="range-summary">
          <div role="status">
            <strong>{plural(count, 'user')}</strong>{' '}
            <span className="soft numbers">
              ({formatShare(count / Math.max(1, entry.total_users))}) between {formatAffinity(entry.edges[range[0]])}{' '}
              and {formatAffinity(entry.edges[range[1]])}
            </span>
          </div>
          <Button needs="/submit-querying-job" isPending={list.isPending} isDisabled={count === 0} onPress={list.start}>
            List these users
          </Button>
        </div>
        {list.error !== null && <Problem error={list.error} />}
        <Facts
          facts={[
            { name: 'Users', value: formatWhole(entry.total_users) },
            { name: 'Mean affinity', value: formatAffinity(entry.mean) },
            { name: 'Median affinity', value: formatAffinity(entry.median) },
          ]}
        />
      </div>
    </Card>
  );
}
