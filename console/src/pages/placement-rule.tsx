// A rule of a placement: when it holds, for whom, and what it adds.
import { Trash2 } from 'lucide-react';
import type { Project } from '../../../src/client/index.ts';
import type { PlacementRule } from '../api/placements.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { TimeField } from '../ui/time-field.tsx';
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
