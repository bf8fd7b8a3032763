// Creates a project over three datasets and a target event type, preset to the newest datasets.
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { DEFAULT_RULES, rulesInWords } from '../api/automation.ts';
import { type DatasetInfo, type DatasetKind, KIND_NAMES, useDatasets } from '../api/datasets.ts';
import { useEventTypes } from '../api/statistics.ts';
import { useRefresh } from '../api/use-call.ts';
import { capital, formatCompact } from '../format.ts';
import { useClient } from '../session/session.tsx';
import { useAction } from '../ui/action.ts';
import { ActionForm } from '../ui/action-form.tsx';
import { LinkButton } from '../ui/button.tsx';
import { SelectField, SuggestField, SwitchField, TextField } from '../ui/field.tsx';
import { Notice, Skeleton } from '../ui/states.tsx';
import { useToast } from '../ui/toast.tsx';

export function ProjectForm({ onCreated }: { onCreated?: (projectId: string) => void }) {
  const client = useClient();
  const datasets = useDatasets();
  const refresh = useRefresh();
  const toast = useToast();
  const [, navigate] = useLocation();
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<Partial<Record<DatasetKind, string>>>({});
  const [target, setTarget] = useState<string | null>(null);
  const [isAutomated, setAutomated] = useState(true);

  const idOf = (kind: DatasetKind) => chosen[kind] ?? datasets[kind][0]?.id ?? null;
  const eventDatasetId = idOf('event');
  const types = useEventTypes(eventDatasetId);
  const suggested = suggestTarget(types.types);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another event dataset has other types
  useEffect(() => setTarget(null), [eventDatasetId]);
  const targetType = target ?? suggested ?? '';

  const create = useAction(
    async () => {
      const project = await client.createProject({
        name: name.trim() || defaultName(datasets.item.find((dataset) => dataset.id === idOf('item'))),
        project_type: 'RECOMMEND_ITEMS_TO_USER',
        user_dataset_id: idOf('user') ?? '',
        item_dataset_id: idOf('item') ?? '',
        event_dataset_id: eventDatasetId ?? '',
        target_event_type: targetType.trim(),
        ...(isAutomated && { automation: DEFAULT_RULES }),
      });
      await refresh('/list-projects');
      toast(`Project “${project.name}” created`);
      return project.project_id;
    },
    onCreated ?? ((projectId) => navigate(`/projects/${projectId}`)),
  );

  if (datasets.isLoading) return <Skeleton height={260} label="Loading datasets" />;
  const missing = (['user', 'item', 'event'] as const).filter((kind) => datasets[kind].length === 0);
  if (missing.length > 0) {
    return (
      <div className="stack">
        <Notice tone="warn">
          <strong>A project needs a user, an item and an event dataset</strong>
          Missing: {missing.map((kind) => KIND_NAMES[kind].many).join(', ')}.
        </Notice>
        <LinkButton needs="/upsert-dataset-items" to="/import" look="primary">
          Add data
        </LinkButton>
      </div>
    );
  }
  return (
    <ActionForm needs="/create-project" action={create} submit="Create project" isDisabled={targetType.trim() === ''}>
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        placeholder={defaultName(datasets.item.find((dataset) => dataset.id === idOf('item')))}
      />
      {(['user', 'item', 'event'] as const).map((kind) => (
        <SelectField
          key={kind}
          label={`${capital(KIND_NAMES[kind].many)} from`}
          value={idOf(kind)}
          onChange={(id) => setChosen({ ...chosen, [kind]: id })}
          choices={datasets[kind].map((dataset) => ({
            value: dataset.id,
            label: dataset.name,
            note: formatCompact(dataset.recordCount),
          }))}
        />
      ))}
      <SuggestField
        label="Target event type"
        hint="The event a good recommendation leads to, such as a purchase, watch or play."
        value={targetType}
        onChange={setTarget}
        onChoose={setTarget}
        choices={types.types.map((type) => ({
          value: type.event_type,
          label: type.event_type,
          note: formatCompact(type.count),
        }))}
      />
      <div className="stack-s">
        <SwitchField isSelected={isAutomated} onChange={setAutomated}>
          Train and deploy automatically
        </SwitchField>
        <p className="hint">After the first model: {rulesInWords(DEFAULT_RULES)}. You can change this at any time.</p>
      </div>
    </ActionForm>
  );
}

/** The first usual target the data has, else its most frequent type. */
function suggestTarget(types: { event_type: string; count: number }[]): string | null {
  const wanted = ['purchase', 'buy', 'order', 'watch', 'play', 'listen', 'read', 'rating', 'like', 'click'];
  for (const type of wanted) {
    const match = types.find(({ event_type }) => event_type.toLowerCase() === type);
    if (match) return match.event_type;
  }
  return [...types].sort((a, b) => b.count - a.count)[0]?.event_type ?? null;
}

function defaultName(dataset: DatasetInfo | undefined): string {
  return dataset?.name ?? 'Recommendations';
}
