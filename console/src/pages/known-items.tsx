// What a list does with items the user knows: events that rule an item out, when a viewed one is new again, and what the user had.
import type { Project } from '../../../src/client/index.ts';
import { DEFAULT_TOUCH_DAYS } from '../../../src/domain/objective.ts';
import type { PlacementDefinition } from '../api/placements.ts';
import { useTargetTypes } from '../api/statistics.ts';
import { plural } from '../format.ts';
import { SelectField } from '../ui/field.tsx';
import { NameList } from './name-list.tsx';

export type KnownItems = Pick<PlacementDefinition['defaults'], 'exclude_event_types' | 'touch_days' | 'exclude_seen'>;

const DAYS = [1, 7, 30, DEFAULT_TOUCH_DAYS, 365] as const;
const BY_OBJECTIVE = 'objective';

export function KnownItemsFields({
  project,
  known,
  onChange,
}: {
  project: Project;
  known: KnownItems;
  onChange: (known: KnownItems) => void;
}) {
  const { exclude_event_types = [], touch_days, exclude_seen } = known;
  const types = useTargetTypes(project);
  const isUsed = exclude_event_types.length > 0 || touch_days !== undefined || exclude_seen !== undefined;
  return (
    <details className="disclosure" open={isUsed}>
      <summary>Items the user knows</summary>
      <div className="stack">
        <NameList
          label="Leave out items with these events of the user"
          add="Add an event type"
          names={exclude_event_types}
          choices={types.map((value) => ({ value, label: value }))}
          onChange={(names) => onChange({ ...known, exclude_event_types: names.length > 0 ? names : undefined })}
        />
        <SelectField
          label="An item counts as new again after"
          value={touch_days === undefined ? String(DEFAULT_TOUCH_DAYS) : (daysOf(touch_days) ?? null)}
          placeholder={touch_days === undefined ? undefined : plural(touch_days, 'day')}
          onChange={(days) => onChange({ ...known, touch_days: Number(days) })}
          choices={DAYS.map((days) => ({ value: String(days), label: plural(days, 'day') }))}
          hint={`Views and other events are forgotten then. “${project.target_event_type}” is never forgotten.`}
        />
        <SelectField
          label={`Items with a “${project.target_event_type}” of the user`}
          value={exclude_seen === undefined ? BY_OBJECTIVE : exclude_seen ? 'out' : 'in'}
          onChange={(chosen) =>
            onChange({ ...known, exclude_seen: chosen === BY_OBJECTIVE ? undefined : chosen === 'out' })
          }
          choices={[
            { value: BY_OBJECTIVE, label: 'As the objective says' },
            { value: 'out', label: 'Leave out' },
            { value: 'in', label: 'Allow' },
          ]}
        />
      </div>
    </details>
  );
}

function daysOf(days: number): string | undefined {
  return DAYS.some((choice) => choice === days) ? String(days) : undefined;
}
