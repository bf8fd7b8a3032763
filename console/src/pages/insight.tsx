// Insight: ask how users use an attribute value, which users do, or what groups they form. Answers come as jobs.
import { Plus, Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import { Link, useLocation } from 'wouter';
import type { Job, Model, Project } from '../../../src/client/index.ts';
import { useProjectModels } from '../api/deployment.ts';
import { useRefresh } from '../api/use-call.ts';
import { isActive, useProjects, useRecentJobs } from '../api/use-jobs.ts';
import { formatAgo } from '../format.ts';
import { useClient } from '../session/session.tsx';
import { Page } from '../shell/page.tsx';
import { useAction } from '../ui/action.ts';
import { Button, LinkButton } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { Segments, SelectField, TextField } from '../ui/field.tsx';
import { JOB_TYPE_NAMES, JobProgressBar, JobStatusTag } from '../ui/job-view.tsx';
import { Problem } from '../ui/problem.tsx';
import { useShowMore } from '../ui/show-more.tsx';
import { EmptyState, Skeleton } from '../ui/states.tsx';
import { type ChosenValue, ValuePicker, valueInWords } from './value-picker.tsx';

type Question = 'distribution' | 'list' | 'groups';
const EARLIER_ROWS = 8;

export default function InsightPage() {
  const projects = useProjects();
  const [projectId, setProjectId] = useState<string | null>(null);
  const list = projects.data?.projects ?? [];
  const project = list.find((candidate) => candidate.project_id === projectId) ?? list[0];
  const models = useProjectModels(project?.project_id ?? '');
  const [modelId, setModelId] = useState<string | null>(null);
  const all = models.data?.models ?? [];
  const model =
    all.find((candidate) => candidate.model_id === modelId) ?? all.find((candidate) => candidate.deployed) ?? all[0];
  const lead = 'What your users are inclined to, according to a model: how many, who, and in which groups.';
  if (projects.error || models.error) {
    return (
      <Page title="Insight" lead={lead}>
        <Problem error={projects.error ?? models.error} onRetry={() => projects.refetch()} />
      </Page>
    );
  }
  if (!projects.data || (project && !models.data)) {
    return (
      <Page title="Insight" lead={lead}>
        <Skeleton height={360} label="Loading" />
      </Page>
    );
  }
  if (!project || !model) {
    return (
      <Page title="Insight" lead={lead}>
        <div className="card">
          <EmptyState
            title="Insight needs a trained model"
            action={
              <LinkButton to={project ? `/start/${project.project_id}` : '/'} look="primary">
                {project ? 'Train a model' : 'Begin'}
              </LinkButton>
            }
          >
            Questions about users are answered by a model. The guided path leads to one.
          </EmptyState>
        </div>
      </Page>
    );
  }
  return (
    <Page title="Insight" lead={lead}>
      <Ask
        key={project.project_id}
        project={project}
        model={model}
        pickers={
          <>
            {list.length > 1 && (
              <SelectField
                label="Project"
                value={project.project_id}
                onChange={setProjectId}
                choices={list.map((candidate) => ({ value: candidate.project_id, label: candidate.name }))}
              />
            )}
            <SelectField
              label="According to"
              value={model.model_id}
              onChange={setModelId}
              choices={all.map((candidate) => ({
                value: candidate.model_id,
                label: candidate.name,
                note: candidate.deployed ? 'serving' : undefined,
              }))}
            />
          </>
        }
      />
      <Earlier projectId={project.project_id} />
    </Page>
  );
}

function Ask({ project, model, pickers }: { project: Project; model: Model; pickers: React.ReactNode }) {
  const [question, setQuestion] = useState<Question>('distribution');
  return (
    <Card title="Ask">
      <div className="stack">
        <Segments
          label="Question"
          value={question}
          onChange={setQuestion}
          choices={[
            { value: 'distribution', label: 'How much is it used?' },
            { value: 'list', label: 'Who uses it?' },
            { value: 'groups', label: 'Which groups are there?' },
          ]}
        />
        <div className="filters">{pickers}</div>
        {question === 'distribution' ? (
          <AskDistribution project={project} model={model} />
        ) : question === 'list' ? (
          <AskList project={project} model={model} />
        ) : (
          <AskGroups project={project} model={model} />
        )}
      </div>
    </Card>
  );
}

function useSubmit(submit: () => Promise<{ job_id: string }>, projectId: string) {
  const refresh = useRefresh();
  const [, navigate] = useLocation();
  return useAction(async () => {
    const { job_id } = await submit();
    await refresh('/list-jobs');
    navigate(`/insight/${projectId}/${job_id}`);
  });
}

interface AskProps {
  project: Project;
  model: Model;
}

function AskForm({
  action,
  isDisabled,
  children,
}: {
  action: ReturnType<typeof useAction>;
  isDisabled?: boolean;
  children: React.ReactNode;
}) {
  return (
    <Form
      className="stack"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        action.start();
      }}
    >
      {children}
      {action.error !== null && <Problem error={action.error} />}
      <div>
        <Button look="primary" type="submit" isPending={action.isPending} isDisabled={isDisabled}>
          Ask
        </Button>
      </div>
    </Form>
  );
}

function AskDistribution({ project, model }: AskProps) {
  const client = useClient();
  const [chosen, setChosen] = useState<ChosenValue | null>(null);
  const [bins, setBins] = useState('20');
  const binCount = Number(bins);
  const binsError = Number.isInteger(binCount) && binCount >= 1 && binCount <= 1000 ? undefined : 'From 1 to 1000.';
  const submit = useSubmit(
    () =>
      client.submitQueryingJob({
        name: `How much: ${valueInWords(chosen)}`.slice(0, 128),
        project_id: project.project_id,
        model_id: model.model_id,
        query_type: 'user_distribution',
        queries: [{ attribute: chosen!.attribute, value: chosen!.value!, bins: binCount }],
      }),
    project.project_id,
  );
  return (
    <AskForm action={submit} isDisabled={chosen?.value === undefined || Boolean(binsError)}>
      <p className="soft">
        A histogram of all users over usage: the share of a user’s expected next interactions that goes to items with
        this value.
      </p>
      <div className="filters">
        <ValuePicker itemDatasetId={project.item_dataset_id} chosen={chosen} onChange={setChosen} />
        <TextField label="Bins" inputMode="numeric" value={bins} onChange={setBins} error={binsError} />
      </div>
    </AskForm>
  );
}

interface ConditionDraft {
  id: number;
  chosen: ChosenValue | null;
  lower: string;
  upper: string;
}

function AskList({ project, model }: AskProps) {
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
    <AskForm action={submit} isDisabled={!complete}>
      <p className="soft">Users for whom all of these hold.</p>
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
          <Button
            look="quiet"
            icon
            aria-label={`Remove condition ${index + 1}`}
            isDisabled={conditions.length === 1}
            onPress={() => setConditions(conditions.filter((other) => other.id !== condition.id))}
          >
            <Trash2 size={16} aria-hidden />
          </Button>
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
    </AskForm>
  );
}

function boundsError({ lower, upper }: ConditionDraft): string | undefined {
  const bound = (text: string) => (text.trim() === '' ? null : Number(text));
  const [low, high] = [bound(lower), bound(upper)];
  if ([low, high].some((value) => value !== null && !(value >= 0 && value <= 100))) return 'From 0 to 100.';
  if (low !== null && high !== null && low > high) return 'More than “at most”.';
  return undefined;
}

function AskGroups({ project, model }: AskProps) {
  const client = useClient();
  const [minUsers, setMinUsers] = useState('10');
  const [groups, setGroups] = useState('');
  const whole = (text: string, low: number) => Number.isInteger(Number(text)) && Number(text) >= low;
  const minError = whole(minUsers, 1) ? undefined : 'A whole number from 1 upwards.';
  const groupsError = groups.trim() === '' || whole(groups, 1) ? undefined : 'A whole number, or nothing.';
  const submit = useSubmit(
    () =>
      client.submitClusteringJob({
        name: 'Groups of users',
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
    <AskForm action={submit} isDisabled={Boolean(minError ?? groupsError)}>
      <p className="soft">Users with like taste, grouped and described by what they use more than others.</p>
      <div className="filters">
        <TextField
          label="Smallest group"
          inputMode="numeric"
          value={minUsers}
          onChange={setMinUsers}
          error={minError}
          hint="Smaller ones are dropped."
        />
        <TextField
          label="Number of groups"
          inputMode="numeric"
          value={groups}
          onChange={setGroups}
          error={groupsError}
          placeholder="chosen by the data"
        />
      </div>
    </AskForm>
  );
}

function Earlier({ projectId }: { projectId: string }) {
  const { jobs, isLoading } = useRecentJobs({ projectId });
  const asked = jobs.filter((job) => job.job_type === 'QUERYING' || job.job_type === 'CLUSTERING');
  const shown = useShowMore(asked, EARLIER_ROWS);
  return (
    <Card title="Asked before" lead="Results can be read for 24 hours.">
      {isLoading ? (
        <Skeleton height={120} label="Loading" />
      ) : asked.length === 0 ? (
        <p className="hint">Nothing yet.</p>
      ) : (
        <>
          <DataTable<Job>
            caption="Questions asked before"
            rows={shown.rows}
            keyOf={(job) => job.job_id}
            columns={[
              {
                head: 'Question',
                cell: (job) => <Link href={`/insight/${job.project_id}/${job.job_id}`}>{job.name}</Link>,
              },
              { head: 'Kind', cell: (job) => JOB_TYPE_NAMES[job.job_type] },
              { head: 'Status', cell: (job) => <JobStatusTag status={job.job_status} /> },
              {
                head: 'Found',
                wide: true,
                cell: (job) =>
                  isActive(job) ? (
                    <JobProgressBar job={job} slim />
                  ) : (
                    <span className="hint">
                      {String(job.job_result?.message ?? job.failure_reason?.message ?? '–')}
                    </span>
                  ),
              },
              { head: 'Asked', cell: (job) => <span className="nowrap">{formatAgo(job.created_ts)}</span> },
            ]}
          />
          {shown.more}
        </>
      )}
    </Card>
  );
}
