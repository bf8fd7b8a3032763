// Who is signed in to the console as a person, and ending their sessions.
import { CircleUserRound } from 'lucide-react';
import { useState } from 'react';
import type { ConsoleSession } from '../../../src/client/index.ts';
import { useCall, useRefresh } from '../api/use-call.ts';
import { formatAgo, formatDateTime } from '../format.ts';
import { useClient, useSession } from '../session/session.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { Problem } from '../ui/problem.tsx';
import { useShowMore } from '../ui/show-more.tsx';
import { Skeleton } from '../ui/states.tsx';
import { useToast } from '../ui/toast.tsx';

const SESSIONS_SHOWN = 20;

/** Nothing where nobody can sign in as a person. */
export function SessionsCard() {
  const client = useClient();
  const refresh = useRefresh();
  const toast = useToast();
  const { signOut } = useSession();
  const { data, error, refetch } = useCall('/list-console-sessions', {});
  const [ending, setEnding] = useState<ConsoleSession | null>(null);
  const shown = useShowMore(data?.sessions ?? [], SESSIONS_SHOWN);
  if (data?.sessions.length === 0) return null;
  return (
    <Card
      title="People"
      lead="Who is signed in to the console. Ending a session does not keep them from signing in again."
    >
      {error ? (
        <Problem error={error} onRetry={() => refetch()} />
      ) : !data ? (
        <Skeleton height={120} label="Loading sessions" />
      ) : (
        <DataTable<ConsoleSession>
          caption="People who are signed in"
          rows={shown.rows}
          keyOf={(session) => session.session_id}
          columns={[
            {
              head: 'Name',
              cell: (session) => (
                <span className="row" title={session.user_agent}>
                  <CircleUserRound size={15} aria-hidden /> {session.name}
                  {session.current && <span className="tag accent">this session</span>}
                </span>
              ),
            },
            { head: 'Role', cell: ({ role }) => role },
            { head: 'Signed in', cell: ({ created_ts }) => <Moment ts={created_ts} /> },
            { head: 'Last used', cell: ({ seen_ts }) => <Moment ts={seen_ts} /> },
            {
              head: 'Actions',
              headHidden: true,
              cell: (session) => (
                <Button
                  needs="/end-console-sessions"
                  size="small"
                  onPress={() => setEnding(session)}
                  aria-label={`End the session of ${session.name}`}
                >
                  End
                </Button>
              ),
            },
          ]}
        />
      )}
      {shown.more}
      <ConfirmDialog
        title={`Sign ${ending?.name ?? ''} out?`}
        isOpen={ending !== null}
        onClose={() => setEnding(null)}
        confirm="End the session"
        danger
        action={async () => {
          await client.endConsoleSessions({ session_id: ending!.session_id });
          if (ending!.current) return signOut('signed-out');
          await refresh('/list-console-sessions');
          toast('Session ended');
        }}
      >
        Their browser is signed out within seconds.
      </ConfirmDialog>
    </Card>
  );
}

function Moment({ ts }: { ts: number }) {
  return <span title={formatDateTime(ts)}>{formatAgo(ts)}</span>;
}
