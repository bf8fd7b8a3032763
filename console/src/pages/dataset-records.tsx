// Newest records page by page, and one record by its id.
import { type FormEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import { type DatasetKind, KIND_NAMES } from '../api/datasets.ts';
import { datasetField } from '../api/statistics.ts';
import { useCall } from '../api/use-call.ts';
import { formatDateTime, formatNumber, formatValue } from '../format.ts';
import { useClient } from '../session/session.tsx';
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { TextField } from '../ui/field.tsx';
import { Pager, usePages } from '../ui/pager.tsx';
import { Problem } from '../ui/problem.tsx';
import { EmptyState, Skeleton } from '../ui/states.tsx';

export interface AnyRecord {
  user_id?: string;
  item_id?: string;
  event_id?: string;
  ts?: number;
  event_type?: string;
  event_value?: number;
  attributes?: Record<string, unknown>;
}

const PAGE_ROWS = 10;

export function NewestRecordsCard({ kind, datasetId }: { kind: DatasetKind; datasetId: string }) {
  const pages = usePages();
  const [search, setSearch] = useState('');
  const records = useCall(
    '/list-dataset-records',
    {
      ...datasetField(kind, datasetId),
      page_size: PAGE_ROWS,
      page_token: pages.token,
      ...(search.trim() === '' ? {} : kind === 'event' ? { user_id: search.trim() } : { search: search.trim() }),
    },
    { keepPrevious: true },
  );
  const rows = (records.data?.records ?? []) as AnyRecord[];
  const searchLabel =
    kind === 'event' ? 'Events of one user (user_id)' : `Search ${KIND_NAMES[kind].many} by id or attribute`;
  return (
    <Card title="Newest records">
      <div className="stack">
        <div className="search-line">
          <TextField
            label={searchLabel}
            value={search}
            onChange={(text) => {
              setSearch(text);
              pages.first();
            }}
          />
        </div>
        {records.error ? (
          <Problem error={records.error} onRetry={() => records.refetch()} />
        ) : !records.data ? (
          <Skeleton height={320} label="Loading records" />
        ) : rows.length === 0 ? (
          <EmptyState title={search.trim() ? 'Nothing found' : 'No records yet'}>
            {search.trim()
              ? `No record matches. Check the spelling${kind === 'event' ? '; case matters' : ''}.`
              : 'Import a file or upsert records over the API.'}
          </EmptyState>
        ) : (
          <div>
            <DataTable
              caption="Newest records"
              columns={columnsOf(kind)}
              rows={rows}
              keyOf={(row) => row.event_id ?? row.item_id ?? row.user_id ?? ''}
            />
            <Pager pages={pages} list={records} />
          </div>
        )}
      </div>
    </Card>
  );
}

function columnsOf(kind: DatasetKind): Column<AnyRecord>[] {
  const attributes: Column<AnyRecord> = {
    head: 'Attributes',
    wide: true,
    cell: (record) => <AttributeTags attributes={record.attributes ?? {}} />,
  };
  if (kind !== 'event') {
    const field = kind === 'user' ? 'user_id' : 'item_id';
    return [{ head: field, cell: (record) => <code>{record[field]}</code> }, attributes];
  }
  return [
    { head: 'Time', cell: (record) => <span className="nowrap">{formatDateTime(record.ts ?? 0)}</span> },
    { head: 'Type', cell: (record) => <span className="tag accent">{record.event_type}</span> },
    { head: 'user_id', cell: (record) => <code>{record.user_id}</code> },
    { head: 'item_id', cell: (record) => <code>{record.item_id}</code> },
    { head: 'Value', align: 'number', cell: (record) => formatNumber(record.event_value ?? 1) },
    attributes,
  ];
}

export function AttributeTags({ attributes, most = 8 }: { attributes: Record<string, unknown>; most?: number }) {
  const entries = Object.entries(attributes).filter(([, value]) => value !== null && value !== undefined);
  if (entries.length === 0) return <span className="hint">none</span>;
  return (
    <span className="tags">
      {entries.slice(0, most).map(([name, value]) => (
        <span key={name} className="tag" title={`${name}: ${formatValue(value)}`}>
          {name}: {formatValue(value)}
        </span>
      ))}
      {entries.length > most && <span className="hint">and {entries.length - most} more</span>}
    </span>
  );
}

export function LookUpCard({ kind, datasetId }: { kind: DatasetKind; datasetId: string }) {
  const client = useClient();
  const [id, setId] = useState('');
  const [record, setRecord] = useState<AnyRecord | null>(null);
  const find = useAction(async () => {
    setRecord(null);
    const request = { ...datasetField(kind, datasetId), [`${kind}_id`]: id.trim() };
    setRecord((await client.getDatasetRecord(request as never)) as AnyRecord);
  });
  return (
    <Card title="Look up one record">
      <Form
        className="stack"
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          find.start();
        }}
      >
        <div className="row bottom">
          <div className="grow search-line">
            <TextField label={`${kind}_id`} value={id} onChange={setId} />
          </div>
          <Button type="submit" isPending={find.isPending} isDisabled={id.trim() === ''}>
            Look up
          </Button>
        </div>
        {find.error !== null && <Problem error={find.error} />}
        {record && <pre>{JSON.stringify(record, null, 2)}</pre>}
      </Form>
    </Card>
  );
}
