// Segment and RudderStack: the address to give them, what each of their events becomes, and rules for your own events.
import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useParams } from 'wouter';
import { SEGMENT_DEFAULTS } from '../../../src/domain/segment-mapping.ts';
import { type SegmentMapping, type SegmentRule, useSaveSegmentMapping } from '../api/segment.ts';
import { useCall } from '../api/use-call.ts';
import { Page } from '../shell/page.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { CopyLine } from '../ui/copy-line.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Problem } from '../ui/problem.tsx';
import { Skeleton } from '../ui/states.tsx';
import { useToast } from '../ui/toast.tsx';
import { SegmentFieldsCard } from './segment-fields.tsx';
import { SegmentRuleForm } from './segment-rule-form.tsx';

interface Row {
  name: string;
  /** null: such messages are skipped */
  rule: SegmentRule | null;
  isOwn: boolean;
}

export default function SegmentPage() {
  const { projectId = '' } = useParams();
  const project = useCall('/get-project', { project_id: projectId });
  const mapping = project.data?.segment_mapping ?? {};
  return (
    <Page
      title="Segment and RudderStack"
      crumbs={[
        { name: 'Projects', path: '/projects' },
        { name: project.data?.name ?? 'Project', path: `/projects/${projectId}` },
      ]}
      lead="Let them deliver the events your site already sends. Nothing on the site changes."
    >
      {project.error ? (
        <Problem error={project.error} onRetry={() => project.refetch()} />
      ) : !project.data ? (
        <Skeleton height={240} label="Loading the mapping" />
      ) : (
        <>
          <Destination projectId={projectId} />
          <RulesCard projectId={projectId} mapping={mapping} />
          <SegmentFieldsCard projectId={projectId} mapping={mapping} />
        </>
      )}
    </Page>
  );
}

function Destination({ projectId }: { projectId: string }) {
  return (
    <Card
      title="Destination"
      lead="Add a webhook destination with HTTP Basic: user name = API key, password = client secret. Give it a key with the scope /ingest/segment alone."
    >
      <CopyLine name="address" text={`${location.origin}/ingest/segment?project_id=${projectId}`} />
    </Card>
  );
}

function RulesCard({ projectId, mapping }: { projectId: string; mapping: SegmentMapping }) {
  const save = useSaveSegmentMapping(projectId);
  const toast = useToast();
  const [edited, setEdited] = useState<Row | 'new' | null>(null);
  const own = mapping.events ?? {};
  const rows: Row[] = [
    ...Object.entries(own).map(([name, rule]) => ({ name, rule, isOwn: true })),
    ...Object.entries(SEGMENT_DEFAULTS)
      .filter(([name]) => !Object.hasOwn(own, name))
      .map(([name, rule]) => ({ name, rule, isOwn: false })),
  ];
  const remove = async (name: string) => {
    const { [name]: _, ...rest } = own;
    await save({ ...mapping, events: rest });
    toast(`Rule for ${name} removed`);
  };
  const columns: Column<Row>[] = [
    { head: 'Message', cell: ({ name }) => name },
    {
      head: 'Becomes',
      cell: ({ rule }) => (rule === null ? <span className="tag">skipped</span> : <code>{rule.event_type}</code>),
    },
    { head: 'Item', cell: ({ rule }) => rule && <code>{itemOf(rule)}</code> },
    { head: 'Value', cell: ({ rule }) => rule && <code>{rule.value ?? '1'}</code> },
    { head: 'Rule', cell: ({ isOwn }) => (isOwn ? <span className="tag accent">yours</span> : 'default') },
    {
      head: 'Change',
      headHidden: true,
      cell: (row) => (
        <div className="row">
          <Button needs="/update-project" size="small" aria-label={`Edit ${row.name}`} onPress={() => setEdited(row)}>
            Edit
          </Button>
          {row.isOwn && (
            <Button
              needs="/update-project"
              size="small"
              look="quiet"
              icon
              aria-label={`Remove the rule for ${row.name}`}
              onPress={() => remove(row.name).catch((error: Error) => toast(error.message))}
            >
              <Trash2 size={14} aria-hidden />
            </Button>
          )}
        </div>
      ),
    },
  ];
  return (
    <Card
      title="Events"
      lead="Messages with other names are skipped and counted by name in the response."
      actions={
        <Button needs="/update-project" size="small" onPress={() => setEdited('new')}>
          <Plus size={14} aria-hidden /> Add a rule
        </Button>
      }
    >
      <DataTable caption="Events" columns={columns} rows={rows} keyOf={({ name }) => name} />
      <Dialog
        title={edited === 'new' ? 'New rule' : `Rule for ${edited?.name ?? ''}`}
        isOpen={edited !== null}
        onClose={() => setEdited(null)}
      >
        {edited !== null && (
          <SegmentRuleForm
            name={edited === 'new' ? null : edited.name}
            rule={edited === 'new' ? { event_type: '' } : edited.rule}
            onSave={async (name, rule) => {
              await save({ ...mapping, events: { ...own, [name]: rule } });
              toast(`Rule for ${name} saved`);
            }}
            onSaved={() => setEdited(null)}
          />
        )}
      </Dialog>
    </Card>
  );
}

function itemOf({ item_id, products }: SegmentRule): string {
  const path = item_id ?? (products ? 'product_id' : 'properties.product_id');
  return products ? `${products}[].${path}` : path;
}
