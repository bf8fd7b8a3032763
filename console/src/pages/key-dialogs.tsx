// Making a key, for a program or for web pages, and giving one a new secret. Secrets are shown once.
import { type ReactNode, useState } from 'react';
import { DAY_MS } from '../../../src/base/durations.ts';
import type { ApiKey } from '../../../src/client/index.ts';
import { useRefresh } from '../api/use-call.ts';
import { useProjects } from '../api/use-jobs.ts';
import { useClient } from '../session/session.tsx';
import { useAction } from '../ui/action.ts';
import { ActionForm } from '../ui/action-form.tsx';
import { Button } from '../ui/button.tsx';
import { CopyLine } from '../ui/copy-line.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Segments, SelectField, TextField } from '../ui/field.tsx';
import { Notice } from '../ui/states.tsx';

const FOREVER = 'never';
const LIFETIMES = [
  { value: FOREVER, label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
] as const;
type Lifetime = (typeof LIFETIMES)[number]['value'];

const GRACES = [
  { value: '24', label: 'Works for one more day' },
  { value: '168', label: 'Works for one more week' },
  { value: '0', label: 'Stops working now (it leaked)' },
] as const;
type Grace = (typeof GRACES)[number]['value'];

interface MadeKey {
  kind: 'secret' | 'browser';
  api_key: string;
  client_secret?: string;
}

export function NewKeyDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const [made, setMade] = useState<MadeKey | null>(null);
  const close = () => {
    setMade(null);
    onClose();
  };
  return (
    <Dialog title={made ? 'Your new key' : 'New API key'} isOpen={isOpen} onClose={close}>
      {made === null ? (
        <NewKeyForm onMade={setMade} />
      ) : made.kind === 'browser' ? (
        <BrowserKeyMade apiKey={made.api_key} onDone={close} />
      ) : (
        <SecretsMade onDone={close}>
          <CopyLine name="API key" text={made.api_key} />
          {made.client_secret && <CopyLine name="Client secret" text={made.client_secret} />}
        </SecretsMade>
      )}
    </Dialog>
  );
}

function NewKeyForm({ onMade }: { onMade: (made: MadeKey) => void }) {
  const client = useClient();
  const refresh = useRefresh();
  const projects = useProjects().data ?? [];
  const [kind, setKind] = useState<MadeKey['kind']>('secret');
  const [name, setName] = useState('');
  const [origins, setOrigins] = useState('');
  const [chosen, setProject] = useState<string | null>(null);
  const [lifetime, setLifetime] = useState<Lifetime>(FOREVER);
  const projectId = chosen ?? projects[0]?.project_id ?? null;
  const listed = origins.split(/[\s,]+/).filter(Boolean);
  const create = useAction(async () => {
    const expires_ts = lifetime === FOREVER ? undefined : Date.now() + Number(lifetime) * DAY_MS;
    const ofPages = kind === 'browser' && { kind, origins: listed, project_id: projectId ?? undefined };
    const made = await client.createApiKey({ name: name.trim(), expires_ts, ...ofPages });
    onMade({ kind, api_key: made.api_key, client_secret: made.client_secret });
    await refresh('/list-api-keys');
  });
  const isReady = name.trim() !== '' && (kind === 'secret' || (listed.length > 0 && projectId !== null));
  return (
    <ActionForm action={create} submit="Create" isDisabled={!isReady}>
      <Segments
        label="What uses the key"
        value={kind}
        onChange={setKind}
        choices={[
          { value: 'secret', label: 'A program' },
          { value: 'browser', label: 'Web pages' },
        ]}
      />
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        placeholder="web shop"
        hint={kind === 'secret' ? 'Which program will use it?' : 'Which site will use it?'}
      />
      {kind === 'browser' && (
        <>
          <TextField
            label="Origins"
            multiline
            value={origins}
            onChange={setOrigins}
            placeholder="https://shop.example"
            hint="One per line, exactly as the address begins: https://shop.example. Pages of other sites cannot use the key."
          />
          <SelectField
            label="Project"
            value={projectId}
            onChange={setProject}
            choices={projects.map(({ project_id, name: title }) => ({ value: project_id, label: title }))}
          />
        </>
      )}
      <SelectField label="Expires" value={lifetime} onChange={setLifetime} choices={[...LIFETIMES]} />
    </ActionForm>
  );
}

function BrowserKeyMade({ apiKey, onDone }: { apiKey: string; onDone: () => void }) {
  const { origin } = window.location;
  const snippet = `<script type="module">
  import { createTracker } from '${origin}/browser/kindred.js';
  createTracker({ url: '${origin}', key: '${apiKey}' });
</script>`;
  return (
    <>
      <Notice>
        A browser key is public: it only tracks events, records impressions and calls placements of its project, for
        pages of its origins.
      </Notice>
      <CopyLine name="API key" text={apiKey} />
      <CopyLine name="Snippet for your pages" text={snippet} />
      <div className="row end">
        <Button look="primary" onPress={onDone}>
          Done
        </Button>
      </div>
    </>
  );
}

function SecretsMade({ onDone, children }: { onDone: () => void; children: ReactNode }) {
  return (
    <>
      <Notice tone="warn">
        <strong>Copy both now.</strong>
        The service stores only their hashes, so they cannot be shown again.
      </Notice>
      {children}
      <div className="row end">
        <Button look="primary" onPress={onDone}>
          I have copied them
        </Button>
      </div>
    </>
  );
}

export function RotateKeyDialog({ apiKey, onClose }: { apiKey: ApiKey | null; onClose: () => void }) {
  const client = useClient();
  const refresh = useRefresh();
  const [grace, setGrace] = useState<Grace>('24');
  // By key: a secret may arrive when its dialog is closed and that of another key is open.
  const [secrets, setSecrets] = useState<Readonly<Record<string, string>>>({});
  const keyId = apiKey?.key_id ?? '';
  const secret = secrets[keyId];
  const rotate = useAction(async () => {
    const { client_secret } = await client.rotateApiKey({ key_id: keyId, grace_hours: Number(grace) });
    setSecrets((all) => ({ ...all, [keyId]: client_secret }));
    await refresh('/list-api-keys');
  });
  const close = () => {
    setSecrets(({ [keyId]: _, ...others }) => others);
    rotate.reset();
    onClose();
  };
  return (
    <Dialog title={`New secret for “${apiKey?.name ?? ''}”`} isOpen={apiKey !== null} onClose={close}>
      {secret === undefined ? (
        <ActionForm action={rotate} submit="Create a new secret">
          <SelectField
            label="Old secret"
            value={grace}
            onChange={setGrace}
            choices={[...GRACES]}
            hint="Give your programs the new secret in this time, so that no call fails. The API key stays the same."
          />
        </ActionForm>
      ) : (
        <>
          <Notice tone="warn">
            <strong>Copy it now.</strong>
            The service stores only its hash, so it cannot be shown again.
          </Notice>
          <CopyLine name="Client secret" text={secret} />
          <div className="row end">
            <Button look="primary" onPress={close}>
              I have copied it
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}
