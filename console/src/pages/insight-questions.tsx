// The three questions about users, each a form that submits a job.
import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Model, Project } from '../../../src/client/index.ts';
import { minuteInWords } from '../api/submit-jobs.ts';
import { useRefresh } from '../api/use-call.ts';
import { useClient } from '../session/session.tsx';
import { useAction } from '../ui/action.ts';
import { ActionForm } from '../ui/action-form.tsx';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { type ChosenValue, ValuePicker, valueInWords } from './value-picker.tsx';

function useSubmit(submit: () => Promise<{ job_id: string }>, projectId: string) {
  const refresh = useRefresh();
  const [, navigate] = useLocation();
  return useAction(
    async () => {
      const { job_id } = await submit();
      await refresh('/list-jobs');
      return job_id;
    },
    (jobId) => navigate(`/insight/${projectId}/${jobId}`),
  );
}

interface AskProps {
  project: Project;
  model: Model;
}

export function AskDistribution({ project, model }: AskProps) {
  const client = useClient();
  const [chosen, setChosen] = useState<ChosenValue | null>(null);
  const [bins, setBins] = useState('20');
  const binCount = Number(bins);
  const binsError = Number.isInteger(binCount) && binCount >= 1 && binCount <= 1000 ? undefined : 'From 1 to 1,000.';
  const submit = useSubmit(
    () =>
      client.submitQueryingJob({
        name: `Popularity of ${valueInWords(chosen)}`.slice(0, 128),
        project_id: project.project_id,
        model_id: model.model_id,
        query_type: 'user_distribution',
        queries: [{ attribute: chosen!.attribute, value: chosen!.value!, bins: binCount }],
      }),
    project.project_id,
  );
  return (
    <ActionForm
      needs="/submit-querying-job"
      action={submit}
      submit="Ask"
      isDisabled={chosen?.value === undefined || Boolean(binsError)}
    >
      <p className="soft">
        A histogram of all users by affinity: the share of a user’s expected next interactions that goes to items with
        this value.
      </p>
      <div className="filters">
        <ValuePicker itemDatasetId={project.item_dataset_id} chosen={chosen} onChange={setChosen} />
        <TextField label="Bins" inputMode="numeric" value={bins} onChange={setBins} error={binsError} />
      </div>
    </ActionForm>
  );
}

interface ConditionDraft {
  id: number;
  chosen: ChosenValue | null;
  lower: string;
  upper: string;
}

export function AskList({ project, model }: AskProps) {
  const client = useClient();
  const [conditions, setConditions] = useState<ConditionDraft[]>([{ id: 0, chosen: null, lower: '20', upper: '' }]);
  const change = (next: ConditionDraft) =>
    setConditions(conditions.map((condition) => (condition.id === next.id ? next : condition)));
  const errors = conditions.map(boundsError);
  const submit = useSubmit(
    () =>
      client.submitQueryingJob({
        name: `Who: ${conditions.map((condition) => valueInWords(condition.chosen)).join(' and ')}`.slice(0, 128),
        project_id: project.project_id,
        model_id: model.model_id,
        query_type: 'user_list',
        queries: [
          {
            conditions: conditions.map(({ chosen, lower, upper }) => ({
              attribute: chosen!.attribute,
              value: chosen!.value!,
              ...(lower.trim() === '' ? {} : { lower_bound: Number(lower) / 100 }),
              ...(upper.trim() === '' ? {} : { upper_bound: Number(upper) / 100 }),
            })),
          },
        ],
      }),
    project.project_id,
  );
  const complete = conditions.every((condition) => condition.chosen?.value !== undefined) && !errors.some(Boolean);
  return (
    <ActionForm needs="/submit-querying-job" action={submit} submit="Ask" isDisabled={!complete}>
      <p className="soft">Users who meet all of these conditions.</p>
      {conditions.map((condition, index) => (
        <fieldset key={condition.id} className="condition">
          <legend className="visually-hidden">Condition {index + 1}</legend>
          <ValuePicker
            itemDatasetId={project.item_dataset_id}
            chosen={condition.chosen}
            onChange={(chosen) => change({ ...condition, chosen })}
          />
          <TextField
            label="At least, %"
            inputMode="decimal"
            value={condition.lower}
            onChange={(lower) => change({ ...condition, lower })}
            error={errors[index]}
          />
          <TextField
            label="At most, %"
            inputMode="decimal"
            value={condition.upper}
            onChange={(upper) => change({ ...condition, upper })}
          />
          {conditions.length > 1 && (
            <Button
              look="quiet"
              icon
              aria-label={`Remove condition ${index + 1}`}
              onPress={() => setConditions(conditions.filter((other) => other.id !== condition.id))}
            >
              <Trash2 size={16} aria-hidden />
            </Button>
          )}
        </fieldset>
      ))}
      <div>
        <Button
          size="small"
          onPress={() =>
            setConditions([
              ...conditions,
              { id: Math.max(...conditions.map(({ id }) => id)) + 1, chosen: null, lower: '20', upper: '' },
            ])
          }
        >
          <Plus size={15} aria-hidden /> And
        </Button>
      </div>
    </ActionForm>
  );
}

function boundsError({ lower, upper }: ConditionDraft): string | undefined {
  const bound = (text: string) => (text.trim() === '' ? null : Number(text));
  const [low, high] = [bound(lower), bound(upper)];
  if ([low, high].some((value) => value !== null && !(value >= 0 && value <= 100))) return 'From 0 to 100.';
  if (low !== null && high !== null && low > high) return 'This is more than “at most”.';
  return undefined;
}

export function AskGroups({ project, model }: AskProps) {
  const client = useClient();
  const [minUsers, setMinUsers] = useState('10');
  const [groups, setGroups] = useState('');
  const whole = (text: string, low: number) => Number.isInteger(Number(text)) && Number(text) >= low;
  const minError = whole(minUsers, 1) ? undefined : 'Enter a whole number, 1 or more.';
  const groupsError = groups.trim() === '' || whole(groups, 1) ? undefined : 'Enter a whole number or leave empty.';
  const submit = useSubmit(
    () =>
      client.submitClusteringJob({
        name: `Groups of ${minuteInWords()}`,
        project_id: project.project_id,
        model_id: model.model_id,
        cluster_type: 'user',
        parameters: {
          min_user_num: Number(minUsers),
          ...(groups.trim() === '' ? {} : { num_clusters: Number(groups) }),
        },
      }),
    project.project_id,
  );
  return (
    <ActionForm
      needs="/submit-clustering-job"
      action={submit}
      submit="Ask"
      isDisabled={Boolean(minError ?? groupsError)}
    >
      <p className="soft">Users with similar taste, grouped and described by what they prefer more than others.</p>
      <div className="filters">
        <TextField
          label="Smallest group"
          inputMode="numeric"
          value={minUsers}
          onChange={setMinUsers}
          error={minError}
          hint="Smaller groups are dropped."
        />
        <TextField
          label="Number of groups"
          inputMode="numeric"
          value={groups}
          onChange={setGroups}
          error={groupsError}
          placeholder="automatic"
        />
      </div>
    </ActionForm>
  );
}
