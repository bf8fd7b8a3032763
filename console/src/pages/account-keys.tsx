// The keys of an account: for programs, with a secret, and for web pages, without one.
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import type { ApiKey } from '../../../src/client/index.ts';
import { keyAccess } from '../../../src/domain/key-access.ts';
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
import { NewKeyDialog, RotateKeyDialog } from './key-dialogs.tsx';

const KEYS_SHOWN = 20;
type ListedKey = ApiKey & { current: boolean };

export function KeysCard() {
  const client = useClient();
  const refresh = useRefresh();
  const toast = useToast();
  const keys = useCall('/list-api-keys', {});
  const shown = useShowMore(keys.data?.api_keys ?? [], KEYS_SHOWN);
  const { signOut } = useSession();
  const [creating, setCreating] = useState(false);
  const [rotating, setRotating] = useState<ListedKey | null>(null);
  const [disabling, setDisabling] = useState<ListedKey | null>(null);
  return (
    <Card
      title="API keys"
      lead="Give each program its own key, so that you can disable one without touching the others."
      actions={
        <Button needs="/create-api-key" size="small" look="primary" onPress={() => setCreating(true)}>
          <Plus size={15} aria-hidden /> New key
        </Button>
      }
    >
      {keys.error ? (
        <Problem error={keys.error} onRetry={() => keys.refetch()} />
      ) : !keys.data ? (
        <Skeleton height={120} label="Loading keys" />
      ) : (
        <DataTable<ListedKey>
          caption="API keys"
          rows={shown.rows}
          keyOf={(key) => key.key_id}
          columns={[
            {
              head: 'Name',
              cell: (key) => (
                <span className="row">
                  <KeyRound size={15} aria-hidden /> {key.name}
                  {key.current && <span className="tag accent">this session</span>}
                </span>
              ),
            },
            { head: 'Starts with', cell: (key) => <code>{key.hint}…</code> },
            {
              head: 'Created',
              cell: (key) => <span title={formatDateTime(key.created_ts)}>{formatAgo(key.created_ts)}</span>,
            },
            { head: 'For', cell: (key) => <UsedBy apiKey={key} /> },
            { head: 'Access', cell: (key) => <span title={key.scopes.join('\n')}>{keyAccess(key)}</span> },
            {
              head: 'State',
              cell: (key) => <KeyState apiKey={key} />,
            },
            {
              head: 'Actions',
              headHidden: true,
              cell: (key) =>
                !key.disabled && (
                  <span className="row nowrap">
                    {key.kind === 'secret' && !isOver(key) && (
                      <Button
                        needs="/rotate-api-key"
                        size="small"
                        onPress={() => setRotating(key)}
                        aria-label={`New secret for ${key.name}`}
                      >
                        New secret
                      </Button>
                    )}
                    <Button
                      needs="/disable-api-key"
                      size="small"
                      onPress={() => setDisabling(key)}
                      aria-label={`Disable ${key.name}`}
                    >
                      Disable
                    </Button>
                  </span>
                ),
            },
          ]}
        />
      )}
      {shown.more}
      <NewKeyDialog isOpen={creating} onClose={() => setCreating(false)} />
      <RotateKeyDialog apiKey={rotating} onClose={() => setRotating(null)} />
      <ConfirmDialog
        title={`Disable “${disabling?.name ?? ''}”?`}
        isOpen={disabling !== null}
        onClose={() => setDisabling(null)}
        confirm="Disable the key"
        danger
        action={async () => {
          await client.disableApiKey({ key_id: disabling!.key_id });
          if (disabling!.current) return signOut('key-disabled');
          await refresh('/list-api-keys');
          toast('Key disabled');
        }}
      >
        Programs that use this key lose access within seconds, including tokens they already hold.
        {disabling?.current && ' This session uses it, so you will be signed out.'} A disabled key cannot be enabled
        again.
      </ConfirmDialog>
    </Card>
  );
}

function KeyState({ apiKey: { disabled, expires_ts } }: { apiKey: ListedKey }) {
  if (disabled) return <span className="tag danger">Disabled</span>;
  if (expires_ts === null) return <span className="tag">Active</span>;
  const hasExpired = expires_ts <= Date.now();
  return (
    <span className={hasExpired ? 'tag danger' : 'tag'}>
      {hasExpired ? 'Expired' : `Active until ${formatDateTime(expires_ts)}`}
    </span>
  );
}

function UsedBy({ apiKey: { kind, origins } }: { apiKey: ListedKey }) {
  if (kind === 'secret') return 'programs';
  return (
    <span title={origins.join('\n')}>pages of {origins.length === 1 ? origins[0] : `${origins.length} origins`}</span>
  );
}

const isOver = ({ expires_ts }: ListedKey): boolean => expires_ts !== null && expires_ts <= Date.now();
