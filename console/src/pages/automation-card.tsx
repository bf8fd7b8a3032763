// Automation on the page of a project: the switch, its rules, when it trains next, and every decision with its figures.
import { Settings2 } from 'lucide-react';
import { useState } from 'react';
import type { Model, Project } from '../../../src/client/index.ts';
import {
  type AutomationRules,
  type AutomationStatus,
  type GateDecision,
  useAutomationStatus,
  useDecisions,
  useSaveAutomation,
} from '../api/automation.ts';
import { formatAgo, formatDateTime, formatNumber, plural } from '../format.ts';
import { useAction } from '../ui/action.ts';
import { ActionForm } from '../ui/action-form.tsx';
import { Button } from '../ui/button.tsx';
import { Card, Facts } from '../ui/card.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { useShowMore } from '../ui/show-more.tsx';
import { Notice } from '../ui/states.tsx';
import { useToast } from '../ui/toast.tsx';
import { AutomationSwitch } from './automation-switch.tsx';

const SHOWN_ROWS = 10;

export function AutomationCard({ project, models }: { project: Project; models: Model[] }) {
  const [isOpen, setOpen] = useState(false);
  const status = useAutomationStatus(project.project_id);
  const decisions = useDecisions(project.project_id);
  const rows = decisions.data?.decisions ?? [];
  const rules = project.automation as AutomationRules | null;
  return (
    <Card
      title="Automation"
      actions={
        rules !== null && (
          <Button needs="/update-project" size="small" onPress={() => setOpen(true)}>
            <Settings2 size={14} aria-hidden /> Change rules
          </Button>
        )
      }
    >
      <div className="stack">
        <AutomationSwitch project={project} />
        {rules !== null && status.data && <NextTraining status={status.data} />}
        {rows.length > 0 && <Decisions decisions={rows} models={models} />}
      </div>
      <Dialog title="Automation" isOpen={isOpen} onClose={() => setOpen(false)}>
        {rules !== null && <RulesForm projectId={project.project_id} rules={rules} onSaved={() => setOpen(false)} />}
      </Dialog>
    </Card>
  );
}

function NextTraining({ status }: { status: AutomationStatus }) {
  const { next_training_ts: next, training_job_id, new_events, failures, message } = status;
  return (
    <>
      <Facts
        facts={[
          { name: 'New events since the last model', value: formatNumber(new_events) },
          {
            name: 'Next training',
            value:
              training_job_id !== null
                ? 'under way'
                : next === null
                  ? 'after enough new events'
                  : next <= Date.now()
                    ? 'due'
                    : `${formatAgo(next)} at the latest`,
          },
        ]}
      />
      {message !== null && (
        <Notice tone="warn">
          {failures > 0 && <strong>{plural(failures, 'training')} failed in a row.</strong>} {message}
        </Notice>
      )}
    </>
  );
}

const DECIDED: Record<GateDecision['decision'], { text: string; tone: string }> = {
  deploy: { text: 'deployed', tone: 'tag accent' },
  reject: { text: 'rejected', tone: 'tag warn' },
  keep: { text: 'not deployed', tone: 'tag' },
};

function Decisions({ decisions, models }: { decisions: GateDecision[]; models: Model[] }) {
  const shown = useShowMore(decisions, SHOWN_ROWS);
  const nameOf = (id: string) => models.find((model) => model.model_id === id)?.name ?? 'deleted model';
  const columns: Column<GateDecision>[] = [
    { head: 'Decided', cell: ({ decided_ts }) => formatDateTime(decided_ts) },
    { head: 'Model', cell: ({ model_id }) => nameOf(model_id) },
    {
      head: 'Decision',
      cell: ({ decision }) => <span className={DECIDED[decision].tone}>{DECIDED[decision].text}</span>,
    },
    { head: 'Difference', align: 'number', cell: ({ comparison }) => differenceText(comparison) },
    { head: 'Reason', wide: true, cell: ({ reason }) => reason },
  ];
  return (
    <>
      <DataTable caption="Decisions" columns={columns} rows={shown.rows} keyOf={({ decision_id }) => decision_id} />
      {shown.more}
    </>
  );
}

function differenceText(comparison: GateDecision['comparison']): string {
  if (!comparison?.interval || comparison.difference === null) return '–';
  const [low, high] = comparison.interval.map((value) => formatNumber(value));
  return `${formatNumber(comparison.difference)} (${low} to ${high})`;
}

const DEPLOY_CHOICES = [
  { value: 'if_not_worse', label: 'If it is not worse than the deployed one' },
  { value: 'always', label: 'Always' },
  { value: 'never', label: 'Never: I deploy by hand' },
] as const;

function RulesForm({ projectId, rules, onSaved }: { projectId: string; rules: AutomationRules; onSaved: () => void }) {
  const save = useSaveAutomation(projectId);
  const toast = useToast();
  const [hours, setHours] = useState(String(rules.retrain.every_hours ?? ''));
  const [events, setEvents] = useState(String(rules.retrain.after_new_events ?? ''));
  const [deploy, setDeploy] = useState(rules.deploy ?? 'if_not_worse');
  const [kept, setKept] = useState(String(rules.keep_models ?? ''));
  const numberOf = (text: string) => (text.trim() === '' ? undefined : Number(text));
  const submit = useAction(async () => {
    const retrain = { every_hours: numberOf(hours), after_new_events: numberOf(events) };
    await save({ retrain, deploy, keep_models: numberOf(kept) });
    toast('Automation changed');
  }, onSaved);
  return (
    <ActionForm
      action={submit}
      submit="Save"
      isDisabled={(hours.trim() === '' && events.trim() === '') || [hours, events, kept].some(isWrong)}
    >
      <TextField label="Train every … hours" value={hours} onChange={setHours} hint="Leave empty for no schedule." />
      <TextField
        label="Train after … new events"
        value={events}
        onChange={setEvents}
        hint="Whichever comes first starts a training."
      />
      <SelectField label="Deploy the new model" choices={[...DEPLOY_CHOICES]} value={deploy} onChange={setDeploy} />
      <TextField
        label="Models to keep"
        value={kept}
        onChange={setKept}
        hint="Older ones are deleted. Deployed models and the one to roll back to are kept in any case."
      />
    </ActionForm>
  );
}

const isWrong = (text: string): boolean => text.trim() !== '' && !/^[1-9]\d*$/.test(text.trim());
