// The users that meet a query's conditions, highest affinity first.
import { useState } from 'react';
import { Link } from 'wouter';
import type { Job } from '../../../src/client/index.ts';
import type { ListEntry } from '../api/results.ts';
import { formatAffinity, formatWhole, plural } from '../format.ts';
import { Button, LinkButton } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { EmptyState, Notice } from '../ui/states.tsx';

const PAGE_ROWS = 20;
type ListedUser = ListEntry['users'][number];

export function UserListResult({ job, entry, total }: { job: Job; entry: ListEntry; total: number }) {
  const [page, setPage] = useState(0);
  const { conditions } = entry.query;
  const pageCount = Math.max(1, Math.ceil(entry.users.length / PAGE_ROWS));
  const columns: Column<ListedUser>[] = [
    {
      head: 'User',
      cell: (user) => (
        <Link href={`/playground/${job.project_id}/${encodeURIComponent(user.user_id)}`}>{user.user_id}</Link>
      ),
    },
    ...conditions.map((condition, index): Column<ListedUser> => {
      const name = `${condition.attribute}: ${String(condition.value)}`;
      return {
        head:
          conditions.findIndex((other) => `${other.attribute}: ${String(other.value)}` === name) === index
            ? name
            : `${name} (${index + 1})`,
        wide: true,
        cell: (user) => <UsageBar usage={user.usages[index]} />,
      };
    }),
    {
      head: 'Known from',
      cell: (user) => <span className="hint">{BASIS_NAMES[user.basis ?? ''] ?? user.basis ?? '–'}</span>,
    },
  ];
  return (
    <Card
      title={`${plural(entry.count, 'user')} of ${formatWhole(total)}`}
      lead={conditions.map(conditionInWords).join(', and ')}
      actions={
        entry.users.length > 0 && (
          <LinkButton
            needs="/submit-recommendation-job"
            size="small"
            to={`/projects/${job.project_id}/lists/of/${job.job_id}`}
          >
            Make lists
          </LinkButton>
        )
      }
    >
      {entry.users.length === 0 ? (
        <EmptyState title="No users match">{entry.note ?? 'Try wider bounds.'}</EmptyState>
      ) : (
        <>
          {entry.note !== null && <Notice tone="warn">{entry.note}</Notice>}
          <DataTable
            caption="Users that meet the conditions"
            columns={columns}
            rows={entry.users.slice(page * PAGE_ROWS, (page + 1) * PAGE_ROWS)}
            keyOf={(user) => user.user_id}
          />
          <nav className="pager" aria-label="Pages">
            <span>
              Page {page + 1} of {formatWhole(pageCount)}
            </span>
            <span className="row">
              <Button size="small" isDisabled={page === 0} onPress={() => setPage(page - 1)}>
                Previous
              </Button>
              <Button size="small" isDisabled={page + 1 >= pageCount} onPress={() => setPage(page + 1)}>
                Next
              </Button>
            </span>
          </nav>
        </>
      )}
    </Card>
  );
}

const BASIS_NAMES: Record<string, string> = {
  history: 'their events',
  attributes: 'their attributes',
  population: 'the average user (nothing known)',
  popularity: 'the average user (nothing known)',
};

function conditionInWords({
  attribute,
  value,
  lower_bound,
  upper_bound,
}: ListEntry['query']['conditions'][number]): string {
  const what = `affinity to ${attribute} ${String(value)}`;
  const low = lower_bound ?? null;
  const high = upper_bound ?? null;
  if (low !== null && high !== null) return `${what} from ${formatAffinity(low)} to ${formatAffinity(high)}`;
  if (low !== null) return `${what} at least ${formatAffinity(low)}`;
  if (high !== null) return `${what} at most ${formatAffinity(high)}`;
  return `any ${what}`;
}

function UsageBar({ usage }: { usage: number }) {
  return (
    <span className="usage-bar">
      <span className="value-track">
        <span className="value-fill" style={{ width: `${Math.min(1, usage) * 100}%` }} />
      </span>
      <span className="numbers">{formatAffinity(usage)}</span>
    </span>
  );
}
