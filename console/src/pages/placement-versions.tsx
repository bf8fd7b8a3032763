// The versions of a placement with who and when, and rolling back to one.
import { Undo2 } from 'lucide-react';
import { useState } from 'react';
import { KIND_NAMES, type PlacementVersion } from '../api/placements.ts';
import { useCall } from '../api/use-call.ts';
import { formatDateTime, plural } from '../format.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { Pager, usePages } from '../ui/pager.tsx';
import { Problem } from '../ui/problem.tsx';
import { Skeleton } from '../ui/states.tsx';

const CHANGES = { created: 'Created', updated: 'Changed', rolled_back: 'Rolled back' };

export function PlacementVersions({
  project_id,
  name,
  current,
  rollBack,
}: {
  project_id: string;
  name: string;
  /** The version that holds. */
  current: number;
  rollBack: (version: number) => Promise<void>;
}) {
  const pages = usePages();
  const [chosen, setChosen] = useState<number | null>(null);
  const versions = useCall(
    '/list-placement-versions',
    { project_id, name, page_size: 10, page_token: pages.token },
    { keepPrevious: true },
  );
  const columns: Column<PlacementVersion>[] = [
    { head: 'Version', cell: ({ version }) => version },
    { head: 'Change', cell: ({ change }) => CHANGES[change] },
    { head: 'Who', cell: ({ changed_by }) => changed_by.key_name ?? changed_by.key_id },
    { head: 'When', cell: ({ changed_ts }) => formatDateTime(changed_ts) },
    { head: 'Kind', cell: ({ kind }) => KIND_NAMES[kind] },
    { head: 'Rules', cell: ({ rules }) => plural(rules.length, 'rule') },
    {
      head: 'Actions',
      headHidden: true,
      cell: ({ version }) =>
        version === current ? (
          <span className="tag accent">active</span>
        ) : (
          <Button
            needs="/rollback-placement"
            size="small"
            aria-label={`Roll back to version ${version}`}
            onPress={() => setChosen(version)}
          >
            <Undo2 size={14} aria-hidden /> Roll back
          </Button>
        ),
    },
  ];
  return (
    <Card title="Versions" lead="The newest 100 are kept.">
      {versions.error ? (
        <Problem error={versions.error} onRetry={() => versions.refetch()} />
      ) : !versions.data ? (
        <Skeleton height={120} label="Loading versions" />
      ) : (
        <DataTable
          caption="Versions"
          columns={columns}
          rows={versions.data.versions}
          keyOf={({ version }) => String(version)}
        />
      )}
      <Pager pages={pages} list={versions} />
      <ConfirmDialog
        title={`Roll back to version ${chosen ?? ''}?`}
        isOpen={chosen !== null}
        onClose={() => setChosen(null)}
        confirm="Roll back"
        action={() => rollBack(chosen ?? current)}
      >
        It becomes a new version, which every call uses at once. You can undo this the same way.
      </ConfirmDialog>
    </Card>
  );
}
