import { useState } from 'react';
import type { Job } from '../../../src/client/index.ts';
import { useRefresh } from '../api/use-call.ts';
import { useClient } from '../session/session.tsx';
import { Button } from './button.tsx';
import { ConfirmDialog } from './dialog.tsx';
import { useToast } from './toast.tsx';

export function CancelJobButton({ job }: { job: Job }) {
  const client = useClient();
  const refresh = useRefresh();
  const toast = useToast();
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button needs="/cancel-job" size="small" onPress={() => setAsking(true)} aria-label={`Cancel ${job.name}`}>
        Cancel
      </Button>
      <ConfirmDialog
        title="Cancel this job?"
        isOpen={asking}
        onClose={() => setAsking(false)}
        confirm="Cancel the job"
        cancel="Keep running"
        danger
        action={async () => {
          await client.cancelJob({ project_id: job.project_id, job_id: job.job_id });
          await refresh('/list-jobs', '/get-job');
          toast(`${job.name} canceled`);
        }}
      >
        The progress of “{job.name}” is lost. Canceled training does not count against your training hours.
      </ConfirmDialog>
    </>
  );
}
