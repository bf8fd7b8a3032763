// The audit log: who changed what, when.
import { ScrollText } from 'lucide-react';
import { useState } from 'react';
import type { AuditEntry } from '../../../src/client/index.ts';
import { useCall } from '../api/use-call.ts';
import { formatAgo, formatDateTime, formatWhole } from '../format.ts';
import { Page } from '../shell/page.tsx';
import { Card } from '../ui/card.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { TextField } from '../ui/field.tsx';
import { Pager, usePages } from '../ui/pager.tsx';
import { Problem } from '../ui/problem.tsx';
import { EmptyState, Skeleton } from '../ui/states.tsx';

const PAGE_ROWS = 50;

const COLUMNS: Column<AuditEntry>[] = [
  {
    head: 'Time',
    cell: ({ created_ts }) => (
      <time dateTime={new Date(created_ts).toISOString()} title={formatDateTime(created_ts)}>
        {formatAgo(created_ts)}
      </time>
    ),
  },
  { head: 'Who', cell: ({ actor }) => <span title={actor.id}>{actor.name ?? actor.id}</span> },
  { head: 'Operation', cell: ({ operation }) => <code>{operation}</code> },
  { head: 'Object', cell: ({ object_id }) => (object_id === null ? '–' : <code>{object_id}</code>) },
  { head: 'Details', wide: true, cell: detailsOf },
];

export default function AuditPage() {
  const [operation, setOperation] = useState('');
  const pages = usePages();
  const entries = useCall('/list-audit-entries', {
    operation: operation.trim() || undefined,
    page_size: PAGE_ROWS,
    page_token: pages.token,
  });
  const choose = (text: string) => {
    setOperation(text);
    pages.first();
  };
  return (
    <Page title="Audit log" lead="Every change of the account, newest first.">
      <Card title="Changes">
        <div className="stack">
          <TextField label="Operation" value={operation} onChange={choose} placeholder="/create-api-key" />
          {entries.error ? (
            <Problem error={entries.error} onRetry={() => entries.refetch()} />
          ) : !entries.data ? (
            <Skeleton height={240} label="Loading the audit log" />
          ) : entries.data.audit_entries.length === 0 ? (
            <EmptyState icon={<ScrollText />} title="No changes">
              Changes of datasets, projects, models and keys appear here.
            </EmptyState>
          ) : (
            <DataTable<AuditEntry>
              caption="Changes"
              rows={entries.data.audit_entries}
              keyOf={(entry) => entry.entry_id}
              columns={COLUMNS}
            />
          )}
          <Pager pages={pages} list={entries} />
        </div>
      </Card>
    </Page>
  );
}

function detailsOf({ summary, calls, records }: AuditEntry): string {
  const counts = [
    calls > 1 ? `${formatWhole(calls)} calls` : '',
    records > 0 ? `${formatWhole(records)} ${records === 1 ? 'record' : 'records'}` : '',
  ];
  return [summary, ...counts].filter(Boolean).join(', ');
}
