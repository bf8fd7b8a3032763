// A list of names chosen from what there is, in the order they were added.

import { type Choice, SelectField } from '../ui/field.tsx';
import { RemovableTag } from '../ui/removable-tag.tsx';

export function NameList<Name extends string>({
  label,
  add,
  names,
  choices,
  onChange,
}: {
  label: string;
  /** Shown in the field until something is chosen. */
  add: string;
  names: readonly Name[];
  choices: Choice<Name>[];
  onChange: (names: Name[]) => void;
}) {
  const labelOf = (name: Name) => choices.find(({ value }) => value === name)?.label ?? name;
  return (
    <div className="stack-s">
      <SelectField
        label={label}
        placeholder={add}
        value={null}
        onChange={(name) => onChange([...names, name])}
        choices={choices.filter(({ value }) => !names.includes(value))}
      />
      {names.length > 0 && (
        <ul className="tags" aria-label={label}>
          {names.map((name) => (
            <RemovableTag
              key={name}
              name={labelOf(name)}
              onRemove={() => onChange(names.filter((other) => other !== name))}
            />
          ))}
        </ul>
      )}
    </div>
  );
}
