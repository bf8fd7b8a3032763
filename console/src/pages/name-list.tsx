// A list of names chosen from what there is, in the order they were added.
import { X } from 'lucide-react';
import { Button } from '../ui/button.tsx';
import { type Choice, SelectField } from '../ui/field.tsx';

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
            <li key={name} className="tag">
              {labelOf(name)}
              <Button
                look="quiet"
                size="small"
                icon
                aria-label={`Remove ${labelOf(name)}`}
                onPress={() => onChange(names.filter((other) => other !== name))}
              >
                <X size={13} aria-hidden />
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
