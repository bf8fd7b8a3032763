// Shows whether this is the default project, the one that serves calls naming none, and lets the visitor make it so.
import { useCall, useRefresh } from '../api/use-call.ts';
import { useClient } from '../session/session.tsx';
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';
import { Problem } from '../ui/problem.tsx';

export function DefaultProject({ projectId }: { projectId: string }) {
  const account = useCall('/get-account', {});
  const client = useClient();
  const refresh = useRefresh();
  const choose = useAction(async () => {
    await client.updateAccount({ default_project_id: projectId });
    await refresh('/get-account');
  });
  if (!account.data) return null;
  if (account.data.default_project_id === projectId) {
    return <p className="hint">Default project: calls without a project_id use it.</p>;
  }
  return (
    <div className="stack">
      <p className="hint">
        Calls without a project_id use another project.{' '}
        <Button needs="/update-account" size="small" onPress={choose.start} isDisabled={choose.isPending}>
          Make this the default
        </Button>
      </p>
      {choose.error ? <Problem error={choose.error} /> : null}
    </div>
  );
}
