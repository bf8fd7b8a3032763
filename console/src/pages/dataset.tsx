// One dataset: capacity, events over time, attributes with their values, newest records, one record, old events.
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { type DatasetInfo, type DatasetKind, datasetInfo, KIND_NAMES, LIST_DATASETS } from '../api/datasets.ts';
import { useEventStatistics } from '../api/statistics.ts';
import { useCall, useRefresh } from '../api/use-call.ts';
import { TimeChart } from '../charts/time-chart.tsx';
import { ValueBars } from '../charts/value-bars.tsx';
import { capital, formatCompact, formatDateTime, formatWhole } from '../format.ts';
import { useClient } from '../session/session.tsx';
import { Page } from '../shell/page.tsx';
import { Button } from '../ui/button.tsx';
import { Card, Facts } from '../ui/card.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { Problem } from '../ui/problem.tsx';
import { Progress } from '../ui/progress.tsx';
import { EmptyState, Notice, Skeleton } from '../ui/states.tsx';
import { useToast } from '../ui/toast.tsx';
import { AttributeCard } from './dataset-attributes.tsx';
import { OldEventsCard } from './dataset-old-events.tsx';
import { LookUpCard, NewestRecordsCard } from './dataset-records.tsx';
import NotFoundPage from './not-found.tsx';

const GET_CALLS = { user: '/get-user-dataset', item: '/get-item-dataset', event: '/get-event-dataset' } as const;

export default function DatasetPage() {
  const { kind = '', datasetId = '' } = useParams();
  if (kind !== 'user' && kind !== 'item' && kind !== 'event') return <NotFoundPage />;
  return <KnownDatasetPage key={datasetId} kind={kind} datasetId={datasetId} />;
}

function KnownDatasetPage({ kind, datasetId }: { kind: DatasetKind; datasetId: string }) {
  const dataset = useCall(GET_CALLS[kind], { [`${kind}_dataset_id`]: datasetId } as never);
  const [deleting, setDeleting] = useState(false);
  const client = useClient();
  const refresh = useRefresh();
  const toast = useToast();
  const [, navigate] = useLocation();
  const crumbs = [{ name: 'Datasets', path: '/datasets' }];
  if (dataset.error) {
    return (
      <Page title="Dataset" crumbs={crumbs}>
        <Problem error={dataset.error} onRetry={() => dataset.refetch()} />
      </Page>
    );
  }
  const info = dataset.data ? datasetInfo(kind, dataset.data) : null;
  return (
    <Page
      title={info?.name ?? ' '}
      crumbs={crumbs}
      actions={
        <Button
          needs="/delete-item-dataset"
          look="quiet"
          icon
          aria-label="Delete this dataset"
          onPress={() => setDeleting(true)}
        >
          <Trash2 size={17} aria-hidden />
        </Button>
      }
    >
      {info ? <CapacityCard info={info} /> : <Skeleton height={150} label="Loading the dataset" />}
      {kind === 'event' && <EventsOverTime datasetId={datasetId} />}
      {info && <AttributeCard info={info} />}
      <NewestRecordsCard kind={kind} datasetId={datasetId} />
      <LookUpCard kind={kind} datasetId={datasetId} />
      {kind === 'event' && <OldEventsCard datasetId={datasetId} />}
      <ConfirmDialog
        title={`Delete “${info?.name ?? ''}”?`}
        isOpen={deleting}
        onClose={() => setDeleting(false)}
        confirm="Delete the dataset"
        danger
        action={async () => {
          if (kind === 'user') await client.deleteUserDataset({ user_dataset_id: datasetId });
          else if (kind === 'item') await client.deleteItemDataset({ item_dataset_id: datasetId });
          else await client.deleteEventDataset({ event_dataset_id: datasetId });
          await refresh(...LIST_DATASETS);
          toast('Dataset deleted');
          navigate('/datasets');
        }}
      >
        All {info ? formatWhole(info.recordCount) : ''} {KIND_NAMES[kind].many} in it are deleted. This cannot be
        undone. A dataset used by a project cannot be deleted.
      </ConfirmDialog>
    </Page>
  );
}

function CapacityCard({ info }: { info: DatasetInfo }) {
  const share = info.recordCount / info.capacity;
  return (
    <Card>
      <div className="stack">
        <Facts
          big
          facts={[
            { name: capital(KIND_NAMES[info.kind].many), value: formatWhole(info.recordCount) },
            { name: 'Capacity', value: formatCompact(info.capacity) },
            { name: 'Shards', value: info.shardCount },
          ]}
        />
        <Progress share label="Filled" note="Filled" fraction={share} />
        {share > 0.9 && (
          <Notice tone="warn">
            <strong>Nearly full</strong>
            Records beyond the capacity are rejected.{' '}
            {info.kind === 'event' ? 'Delete old events below, or move' : 'Move'} to a dataset with more shards.
          </Notice>
        )}
        <p className="hint">
          {info.createdMs && `Created ${formatDateTime(info.createdMs)} · `}
          <code>{info.id}</code>
        </p>
      </div>
    </Card>
  );
}

function EventsOverTime({ datasetId }: { datasetId: string }) {
  const statistics = useEventStatistics(datasetId);
  const { data } = statistics;
  if (statistics.error) return <Problem error={statistics.error} onRetry={() => statistics.refetch()} />;
  if (!data) return <Skeleton height={300} label="Loading the events over time" />;
  if (data.first_ts === null || data.last_ts === null) {
    return (
      <Card>
        <EmptyState title="No events yet">Import events to see them over time.</EmptyState>
      </Card>
    );
  }
  const total = data.types.reduce((sum, type) => sum + type.count, 0);
  const buckets = data.over_time.map((bucket, index) => ({
    fromMs: bucket.from_ts,
    toMs: data.over_time[index + 1]?.from_ts ?? data.last_ts!,
    count: bucket.count,
  }));
  return (
    <div className="grid-wide">
      <Card title="Events over time" lead={`${formatDateTime(data.first_ts)} to ${formatDateTime(data.last_ts)}`}>
        <TimeChart buckets={buckets} label="Events over time" />
      </Card>
      <Card title="Types" lead="Share of all events.">
        <ValueBars
          label="Event types"
          total={total}
          values={data.types.slice(0, 12).map((type) => ({ value: type.event_type, count: type.count }))}
        />
      </Card>
    </div>
  );
}
