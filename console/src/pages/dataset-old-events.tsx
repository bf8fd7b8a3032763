// Deletes events before a time, after showing how many would be deleted.
import { useState } from 'react';
import { useRefresh } from '../api/use-call.ts';
import { formatDateTime, plural } from '../format.ts';
import { useClient } from '../session/session.tsx';
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { Problem } from '../ui/problem.tsx';
import { Notice } from '../ui/states.tsx';
import { TimeField } from '../ui/time-field.tsx';
import { useToast } from '../ui/toast.tsx';

export function OldEventsCard({ datasetId }: { datasetId: string }) {
  const client = useClient();
  const refresh = useRefresh();
  const toast = useToast();
  const [ts, setTs] = useState<number>();
  const [counted, setCounted] = useState<{ ts: number; count: number } | null>(null);
  const [confirming, setConfirming] = useState(false);
  // The count of another time may be the last to arrive.
  const preview = counted?.ts === ts ? counted : null;
  const count = useAction(async () => {
    if (ts === undefined) return;
    const response = await client.deleteDatasetEventsBeforeTs({ event_dataset_id: datasetId, ts, dry_run: true });
    setCounted({ ts, count: response.deleted_count });
  });
  return (
    <Card title="Delete old events" lead="Old events use capacity and say less about what people want now.">
      <div className="stack">
        <div className="row bottom">
          <TimeField label="Before" value={ts} onChange={setTs} />
          <Button
            needs="/delete-dataset-events-before-ts"
            onPress={count.start}
            isPending={count.isPending}
            isDisabled={ts === undefined}
          >
            Count them
          </Button>
          {preview && preview.count > 0 && (
            <Button needs="/delete-dataset-events-before-ts" look="danger" onPress={() => setConfirming(true)}>
              Delete {plural(preview.count, 'event')}
            </Button>
          )}
        </div>
        {count.error !== null && <Problem error={count.error} />}
        {preview && (
          <Notice>
            {preview.count === 0
              ? 'No event is older than this.'
              : `${plural(preview.count, 'event')} before ${formatDateTime(preview.ts)}.`}
          </Notice>
        )}
      </div>
      <ConfirmDialog
        title={`Delete ${plural(preview?.count ?? 0, 'event')}?`}
        isOpen={confirming}
        onClose={() => setConfirming(false)}
        confirm="Delete them"
        danger
        action={async () => {
          const response = await client.deleteDatasetEventsBeforeTs({ event_dataset_id: datasetId, ts: preview!.ts });
          await refresh('/get-event-dataset', '/get-event-statistics', '/list-dataset-records', '/list-event-datasets');
          toast(`${plural(response.deleted_count, 'event')} deleted`);
          setCounted(null);
        }}
      >
        All events before {preview ? formatDateTime(preview.ts) : ''} are deleted immediately and stop counting in
        recommendations. This cannot be undone.
      </ConfirmDialog>
    </Card>
  );
}
