// Builds one condition of a filter from what the data has: an attribute, a comparison and a value or several. No syntax needed.
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { AttributeScalar } from '../../../src/client/index.ts';
import type { ComparisonOperator, Filter } from '../../../src/domain/filter/filter.ts';
import { printFilter } from '../../../src/domain/filter/print-filter.ts';
import type { DatasetKind } from '../api/datasets.ts';
import { Button } from '../ui/button.tsx';
import { SelectField } from '../ui/field.tsx';
import { RemovableTag } from '../ui/removable-tag.tsx';
import { AttributeSelect, useAttributes, ValueField } from './attribute-fields.tsx';
import { typed } from './typed-value.ts';

/** What a condition speaks of: items, the user of the call, or its context, which has the attributes of events. */
export type Subject = 'item' | 'user' | 'context';

const SUBJECTS: Record<Subject, { label: string; dataset: DatasetKind; scope: string }> = {
  item: { label: 'Item attribute', dataset: 'item', scope: '' },
  user: { label: 'User attribute', dataset: 'user', scope: 'user.' },
  context: { label: 'Context attribute', dataset: 'event', scope: 'context.' },
};

type Comparison = ComparisonOperator | 'IN';

const COMPARISONS: { value: Comparison; label: string; ofNumbers?: boolean }[] = [
  { value: '=', label: 'is' },
  { value: '!=', label: 'is not' },
  { value: 'IN', label: 'is one of' },
  { value: '<=', label: 'is at most', ofNumbers: true },
  { value: '>=', label: 'is at least', ofNumbers: true },
];

export function ConditionPicker({
  of,
  datasetId,
  add,
  onAdd,
}: {
  of: Subject;
  datasetId: string;
  /** Text of the button. */
  add: string;
  /** Gets the condition as filter text. */
  onAdd: (condition: string) => void;
}) {
  const { label, dataset, scope } = SUBJECTS[of];
  const from = useAttributes(dataset, datasetId);
  const [name, setName] = useState<string | null>(null);
  const [comparison, setComparison] = useState<Comparison>('=');
  const [text, setText] = useState('');
  const [values, setValues] = useState<string[]>([]);
  const attribute = from.attributes.find((candidate) => candidate.attribute === name);
  const isNumber = attribute?.handling === 'NUMERICAL';
  const isList = comparison === 'IN';
  const chosen = isList ? [...new Set([...values, text])].filter((value) => value !== '') : [text];
  const typedValues = attribute ? chosen.flatMap((value) => typed(value, attribute) ?? []) : [];
  const clear = () => {
    setText('');
    setValues([]);
  };
  const addValue = (value: string) => {
    setValues([...values.filter((other) => other !== value), value]);
    setText('');
  };
  return (
    <div className="condition-picker">
      <AttributeSelect
        label={label}
        from={from}
        value={name}
        onChange={(next) => {
          setName(next);
          setComparison('=');
          clear();
        }}
      />
      <SelectField
        label="Comparison"
        value={comparison}
        onChange={(next) => {
          setComparison(next);
          clear();
        }}
        choices={COMPARISONS.filter(({ ofNumbers }) => isNumber || !ofNumbers)}
      />
      <ValueField
        // A field of its own for each value: an emptied one would show its suggestions again.
        key={isList ? values.join() : 'one'}
        attribute={attribute}
        text={text}
        onChange={setText}
        hint={isNumber && attribute.min !== null ? `From ${attribute.min} to ${attribute.max} in the data` : undefined}
        {...(isList && {
          onChoose: addValue,
          onEnter: () => attribute && typed(text, attribute) !== undefined && addValue(text),
          ...(values.length > 0 && { opensOn: 'input' as const, autoFocus: true }),
        })}
      />
      <Button
        isDisabled={typedValues.length === 0}
        onPress={() => {
          if (!attribute) return;
          onAdd(scope + printFilter(conditionOf(attribute.attribute, comparison, typedValues)));
          clear();
        }}
      >
        <Plus size={15} aria-hidden /> {add}
      </Button>
      {isList && values.length > 0 && (
        <ul className="tags wide" aria-label="Chosen values">
          {values.map((value) => (
            <RemovableTag
              key={value}
              name={value}
              onRemove={() => setValues(values.filter((other) => other !== value))}
            />
          ))}
        </ul>
      )}
    </div>
  );
}

function conditionOf(attribute: string, comparison: Comparison, values: AttributeScalar[]): Filter {
  return comparison === 'IN'
    ? { kind: 'in', attribute, values }
    : { kind: 'compare', attribute, operator: comparison, value: values[0] };
}

/** Both conditions, or one of them, in the syntax of filters. */
export function joined(filter: string | null | undefined, condition: string, by: 'AND' | 'OR' = 'AND'): string {
  if (!filter?.trim()) return condition;
  // AND binds tighter than OR.
  return by === 'AND' && /\bOR\b/i.test(filter)
    ? `(${filter.trim()}) AND ${condition}`
    : `${filter.trim()} ${by} ${condition}`;
}
