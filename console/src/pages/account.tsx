// Keys, plan and usage, and links to documentation.
import { Copy, KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { ApiKey } from '../../../src/client/index.ts';
import { useCall, useRefresh } from '../api/use-call.ts';
import { formatAgo, formatBytes, formatDateTime, formatNumber, formatWhole } from '../format.ts';
import { useClient, useRefusal, useSession } from '../session/session.tsx';
import { Page } from '../shell/page.tsx';
import { useAction } from '../ui/action.ts';
import { ActionForm } from '../ui/action-form.tsx';
import { Button } from '../ui/button.tsx';
import { Card, Facts } from '../ui/card.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { ConfirmDialog, Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { Problem } from '../ui/problem.tsx';
import { Progress } from '../ui/progress.tsx';
import { useShowMore } from '../ui/show-more.tsx';
import { Notice, Skeleton } from '../ui/states.tsx';
import { useToast } from '../ui/toast.tsx';
import { SessionsCard } from './account-sessions.tsx';

export default function AccountPage() {
  const seesKeys = useRefusal('/list-api-keys') === null;
  const seesSessions = useRefusal('/list-console-sessions') === null;
  return (
    <Page title="Account">
      <PlanCard />
      {seesKeys && <KeysCard />}
      {seesSessions && <SessionsCard />}
      <LinksCard />
    </Page>
  );
}

function PlanCard() {
  const account = useCall('/get-account', {});
  const { data } = account;
  return (
    <Card title="Plan and usage">
      {account.error ? (
        <Problem error={account.error} onRetry={() => account.refetch()} />
      ) : !data ? (
        <Skeleton height={170} label="Loading the account" />
      ) : (
        <div className="stack">
          <Facts
            facts={[
              { name: 'Account', value: data.name },
              { name: 'Account id', value: <code>{data.account_id}</code> },
              { name: 'Rate limit of a deployment (requests per second)', value: formatWhole(data.plan.max_qps) },
            ]}
          />
          <div className="grid-2">
            <Progress
              share
              label="Shards of event datasets"
              note={`Event shards: ${formatWhole(data.usage.event_shards)} of ${formatWhole(data.plan.max_event_shards)}`}
              fraction={data.usage.event_shards / Math.max(1, data.plan.max_event_shards)}
            />
            <Progress
              share
              label="Training hours"
              note={`Training hours: ${formatNumber(data.usage.training_hours, 2)} of ${formatNumber(data.plan.max_training_hours)}`}
              fraction={data.usage.training_hours / Math.max(1e-9, data.plan.max_training_hours)}
            />
            <Progress
              share
              label="Storage"
              note={`Storage: ${formatBytes(data.usage.storage_bytes)} of ${formatBytes(data.plan.max_storage_bytes)}`}
              fraction={data.usage.storage_bytes / Math.max(1, data.plan.max_storage_bytes)}
            />
          </div>
          <p className="hint">Only training that succeeds counts.</p>
        </div>
      )}
    </Card>
  );
}

const KEYS_SHOWN = 20;
type ListedKey = ApiKey & { current: boolean };

function KeysCard() {
  const client = useClient();
  const refresh = useRefresh();
  const toast = useToast();
  const keys = useCall('/list-api-keys', {});
  const shown = useShowMore(keys.data?.api_keys ?? [], KEYS_SHOWN);
  const { signOut } = useSession();
  const [creating, setCreating] = useState(false);
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
            { head: 'Kind', cell: (key) => <span title={key.origins.join('\n')}>{key.kind}</span> },
            { head: 'Access', cell: (key) => accessInWords(key.scopes) },
            {
              head: 'State',
              cell: (key) => <KeyState apiKey={key} />,
            },
            {
              head: 'Actions',
              headHidden: true,
              cell: (key) =>
                !key.disabled && (
                  <Button
                    needs="/disable-api-key"
                    size="small"
                    onPress={() => setDisabling(key)}
                    aria-label={`Disable ${key.name}`}
                  >
                    Disable
                  </Button>
                ),
            },
          ]}
        />
      )}
      {shown.more}
      <NewKeyDialog isOpen={creating} onClose={() => setCreating(false)} />
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

function accessInWords(scopes: readonly string[]) {
  if (scopes.includes('*')) return 'All operations';
  const words = scopes.length === 1 ? scopes[0] : `${scopes.length} operations`;
  return <span title={scopes.join('\n')}>{words}</span>;
}

function NewKeyDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const client = useClient();
  const refresh = useRefresh();
  const [name, setName] = useState('');
  const [made, setMade] = useState<{ api_key: string; client_secret?: string } | null>(null);
  const create = useAction(async () => {
    setMade(await client.createApiKey({ name: name.trim() }));
    await refresh('/list-api-keys');
  });
  const close = () => {
    setMade(null);
    setName('');
    create.reset();
    onClose();
  };
  return (
    <Dialog title={made ? 'Your new key' : 'New API key'} isOpen={isOpen} onClose={close}>
      {made ? (
        <>
          <Notice tone="warn">
            <strong>Copy both now.</strong>
            The service stores only their hashes, so they cannot be shown again.
          </Notice>
          <CopyLine name="API key" text={made.api_key} />
          {made.client_secret && <CopyLine name="Client secret" text={made.client_secret} />}
          <div className="row end">
            <Button look="primary" onPress={close}>
              I have copied them
            </Button>
          </div>
        </>
      ) : (
        <ActionForm action={create} submit="Create" isDisabled={name.trim() === ''}>
          <TextField
            label="Name"
            value={name}
            onChange={setName}
            placeholder="web shop"
            hint="Which program will use it?"
          />
        </ActionForm>
      )}
    </Dialog>
  );
}

function CopyLine({ name, text }: { name: string; text: string }) {
  const toast = useToast();
  return (
    <div className="field">
      <span className="label">{name}</span>
      <div className="row">
        <code className="grow secret">{text}</code>
        <Button
          size="small"
          aria-label={`Copy the ${name}`}
          onPress={async () => {
            // Browsers block the clipboard on pages served over plain HTTP from another machine.
            try {
              await navigator.clipboard.writeText(text);
              toast(`${name} copied`);
            } catch {
              toast('Your browser blocked copying. Select the text and copy it by hand.');
            }
          }}
        >
          <Copy size={14} aria-hidden /> Copy
        </Button>
      </div>
    </div>
  );
}

function LinksCard() {
  const seesAudit = useRefusal('/list-audit-entries') === null;
  return (
    <Card title="Documentation">
      <ul className="link-list">
        {seesAudit && (
          <li>
            <Link href="/audit">Audit log</Link> <span className="hint">who changed what, when</span>
          </li>
        )}
        <li>
          <a href="/docs">API reference</a> <span className="hint">every call with examples</span>
        </li>
        <li>
          <a href="/openapi.json">OpenAPI document</a> <span className="hint">for code generators</span>
        </li>
        <li>
          <code>npx kindred --help</code> <span className="hint">everything from the command line</span>
        </li>
      </ul>
    </Card>
  );
}
