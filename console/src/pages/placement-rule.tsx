// A rule of a placement: when it holds, for whom, and what it adds.
import { Trash2 } from 'lucide-react';
import type { Project } from '../../../src/client/index.ts';
import type { PlacementRule } from '../api/placements.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { FilterBuilder, ShapeFields } from './placement-shape.tsx';

export function RuleFields({
  project,
  rule,
  onChange,
  onRemove,
}: {
  project: Project;
  rule: PlacementRule;
  onChange: (rule: PlacementRule) => void;
  onRemove: () => void;
}) {
  return (
    <details className="disclosure placement-rule" open>
      <summary>Rule: {rule.name || 'without a name'}</summary>
      <div className="stack">
        <div className="row bottom">
          <div className="grow">
            <TextField
              label="Name of the rule"
              value={rule.name}
              onChange={(name) => onChange({ ...rule, name })}
              error={rule.name.trim() === '' ? 'Give the rule a name.' : undefined}
            />
          </div>
          <Button aria-label={`Remove rule ${rule.name}`} onPress={onRemove}>
            <Trash2 size={15} aria-hidden /> Remove
          </Button>
        </div>
        <div className="grid-2">
          <TimeField
            label="Active from (optional)"
            value={rule.from_ts}
            onChange={(from_ts) => onChange({ ...rule, from_ts })}
          />
          <TimeField
            label="Active until (optional)"
            value={rule.to_ts}
            onChange={(to_ts) => onChange({ ...rule, to_ts })}
          />
        </div>
        <FilterBuilder
          title="Only for users who match"
          text={rule.only_if ?? ''}
          onChange={(text) => onChange({ ...rule, only_if: text || undefined })}
          allowsParams
          pickers={[
            { of: 'user', datasetId: project.user_dataset_id },
            { of: 'context', datasetId: project.event_dataset_id },
          ]}
        />
        <ShapeFields project={project} shape={rule} onChange={onChange} allowsParams />
      </div>
    </details>
  );
}

/** A time in the time zone of the browser. */
function TimeField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: number | undefined;
  onChange: (ms: number | undefined) => void;
}) {
  return (
    <TextField
      label={label}
      type={'datetime-local' as 'text'}
      value={value === undefined ? '' : localTime(value)}
      onChange={(text) => onChange(text === '' ? undefined : new Date(text).getTime())}
    />
  );
}

/** 2026-11-15T20:36, as the browser's time field wants it. */
function localTime(ms: number): string {
  const minutes = new Date(ms).getTimezoneOffset();
  return new Date(ms - minutes * 60_000).toISOString().slice(0, 16);
}
