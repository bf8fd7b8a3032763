// All datasets of the three kinds with their capacity, and creating or filling new ones.
import { CalendarClock, Plus, ShoppingBag, Upload, Users } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import {
  DATASET_KINDS,
  type DatasetInfo,
  type DatasetKind,
  KIND_NAMES,
  LIST_DATASETS,
  useDatasets,
} from '../api/datasets.ts';
import { useRefresh } from '../api/use-call.ts';
import { capital, formatAgo, formatCompact, formatWhole } from '../format.ts';
import { useClient } from '../session/session.tsx';
import { Page } from '../shell/page.tsx';
import { useAction } from '../ui/action.ts';
import { ActionForm } from '../ui/action-form.tsx';
import { Button, LinkButton } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Segments, TextField } from '../ui/field.tsx';
import { Problem } from '../ui/problem.tsx';
import { Progress } from '../ui/progress.tsx';
import { useShowMore } from '../ui/show-more.tsx';
import { EmptyState, Skeleton } from '../ui/states.tsx';
import { useToast } from '../ui/toast.tsx';

const ICONS = { user: Users, item: ShoppingBag, event: CalendarClock };
const EXPLAINED: Record<DatasetKind, string> = {
  user: 'Who gets recommendations, with what you know about them.',
  item: 'What can be recommended, with its attributes.',
  event: 'Who did what with which item, and when.',
};
const PAGE_ROWS = 15;

export default function DatasetsPage() {
  const datasets = useDatasets();
  const [creating, setCreating] = useState(false);
  return (
    <Page
      title="Datasets"
      lead="Users, items and events. A project uses one dataset of each kind; several projects can share a dataset."
      actions={
        <>
          <Button needs="/create-item-dataset" onPress={() => setCreating(true)}>
            <Plus size={17} aria-hidden /> New dataset
          </Button>
          <LinkButton needs="/upsert-dataset-items" to="/import" look="primary">
            <Upload size={16} aria-hidden /> Import files
          </LinkButton>
        </>
      }
    >
      {datasets.error ? (
        <Problem error={datasets.error} onRetry={() => void datasets.refetch()} />
      ) : (
        DATASET_KINDS.map((kind) => (
          <KindCard key={kind} kind={kind} datasets={datasets[kind]} isLoading={datasets.isLoading} />
        ))
      )}
      <Dialog title="New dataset" isOpen={creating} onClose={() => setCreating(false)}>
        <NewDatasetForm onDone={() => setCreating(false)} />
      </Dialog>
    </Page>
  );
}

function KindCard({ kind, datasets, isLoading }: { kind: DatasetKind; datasets: DatasetInfo[]; isLoading: boolean }) {
  const Icon = ICONS[kind];
  const shown = useShowMore(datasets, PAGE_ROWS);
  const columns: Column<DatasetInfo>[] = [
    { head: 'Name', cell: (dataset) => <Link href={`/datasets/${kind}/${dataset.id}`}>{dataset.name}</Link> },
    { head: 'Records', align: 'number', cell: (dataset) => formatWhole(dataset.recordCount) },
    {
      head: 'Filled',
      wide: true,
      cell: (dataset) => (
        <Progress
          slim
          share
          label={`${dataset.name}: filled`}
          fraction={dataset.recordCount / dataset.capacity}
          note={`of ${formatCompact(dataset.capacity)} records`}
        />
      ),
    },
    { head: 'Shards', align: 'number', cell: (dataset) => dataset.shardCount },
    { head: 'Created', cell: (dataset) => (dataset.createdMs ? formatAgo(dataset.createdMs) : '–') },
  ];
  const title = KIND_NAMES[kind].many;
  return (
    <Card title={capital(title)} lead={EXPLAINED[kind]}>
      {isLoading ? (
        <Skeleton height={90} label={`Loading ${title}`} />
      ) : datasets.length === 0 ? (
        <EmptyState
          icon={<Icon size={32} strokeWidth={1.4} aria-hidden />}
          title={`No ${title} yet`}
          action={
            <LinkButton needs="/upsert-dataset-items" to="/import">
              Import a file
            </LinkButton>
          }
        />
      ) : (
        <>
          <DataTable
            caption={`Datasets of ${title}`}
            columns={columns}
            rows={shown.rows}
            keyOf={(dataset) => dataset.id}
          />
          {shown.more}
        </>
      )}
    </Card>
  );
}

function NewDatasetForm({ onDone }: { onDone: () => void }) {
  const client = useClient();
  const refresh = useRefresh();
  const toast = useToast();
  const [kind, setKind] = useState<DatasetKind>('event');
  const [name, setName] = useState('');
  const [shards, setShards] = useState('10');
  const shardCount = Number(shards);
  const shardsError =
    Number.isInteger(shardCount) && shardCount >= 1 && shardCount <= 100_000
      ? undefined
      : 'A whole number from 1 to 100,000.';
  const create = useAction(async () => {
    const request = { name: name.trim(), num_shards: shardCount };
    if (kind === 'user') await client.createUserDataset(request);
    else if (kind === 'item') await client.createItemDataset(request);
    else await client.createEventDataset(request);
    await refresh(...LIST_DATASETS);
    toast(`Dataset “${request.name}” created`);
  }, onDone);
  return (
    <ActionForm action={create} submit="Create" isDisabled={name.trim() === '' || Boolean(shardsError)}>
      <Segments
        label="Kind"
        value={kind}
        onChange={setKind}
        choices={[
          { value: 'user', label: 'Users' },
          { value: 'item', label: 'Items' },
          { value: 'event', label: 'Events' },
        ]}
      />
      <TextField label="Name" value={name} onChange={setName} />
      <TextField
        label="Shards"
        inputMode="numeric"
        value={shards}
        onChange={setShards}
        error={shardsError}
        hint="Each holds 100,000 records. The number cannot be changed later."
      />
    </ActionForm>
  );
}
