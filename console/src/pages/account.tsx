// Keys, plan and usage, and links to documentation.
import { Link } from 'wouter';
import { useCall } from '../api/use-call.ts';
import { formatBytes, formatNumber, formatWhole } from '../format.ts';
import { useRefusal } from '../session/session.tsx';
import { Page } from '../shell/page.tsx';
import { Card, Facts } from '../ui/card.tsx';
import { Problem } from '../ui/problem.tsx';
import { Progress } from '../ui/progress.tsx';
import { Skeleton } from '../ui/states.tsx';
import { KeysCard } from './account-keys.tsx';
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
