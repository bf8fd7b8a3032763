// Builds one condition of a filter from what the data has: an attribute, a comparison and a value with its count. No syntax needed.
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { ComparisonOperator } from '../../../src/domain/filter.ts';
import { printFilter } from '../../../src/domain/print-filter.ts';
import type { DatasetKind } from '../api/datasets.ts';
import { useAttributeStatistics } from '../api/statistics.ts';
import { formatCompact } from '../format.ts';
import { Button } from '../ui/button.tsx';
import { SelectField, SuggestField } from '../ui/field.tsx';
import { isOne, typed, usefulness } from './value-picker.tsx';

const COMPARISONS: { value: ComparisonOperator; label: string; ofNumbers?: boolean }[] = [
  { value: '=', label: 'is' },
  { value: '!=', label: 'is not' },
  { value: '<=', label: 'is at most', ofNumbers: true },
  { value: '>=', label: 'is at least', ofNumbers: true },
];

export function ConditionPicker({
  of,
  datasetId,
  add,
  onAdd,
}: {
  /** A condition of users is written with user. before the attribute. */
  of: Extract<DatasetKind, 'item' | 'user'>;
  datasetId: string;
  /** Text of the button. */
  add: string;
  /** Gets the condition as filter text. */
  onAdd: (condition: string) => void;
}) {
  const statistics = useAttributeStatistics(of, datasetId);
  const attributes = (statistics.data?.attributes ?? []).toSorted((a, b) => usefulness(b) - usefulness(a));
  const [name, setName] = useState<string | null>(null);
  const [operator, setOperator] = useState<ComparisonOperator>('=');
  const [text, setText] = useState('');
  const attribute = attributes.find((candidate) => candidate.attribute === name);
  const isNumber = attribute?.handling === 'NUMERICAL';
  const value = attribute && typed(text, attribute);
  const finish = () => {
    if (!attribute || value === undefined) return;
    const condition = printFilter({ kind: 'compare', attribute: attribute.attribute, operator, value });
    onAdd(of === 'user' ? `user.${condition}` : condition);
    setText('');
  };
  return (
    <div className="condition-picker">
      <SelectField
        label={of === 'user' ? 'User attribute' : 'Item attribute'}
        value={name}
        placeholder={statistics.isLoading ? 'Loading…' : attributes.length === 0 ? 'None in the data' : 'Choose…'}
        onChange={(chosen) => {
          setName(chosen);
          setOperator('=');
          setText('');
        }}
        choices={attributes.map((candidate) => ({
          value: candidate.attribute,
          label: candidate.attribute,
          note: `${candidate.distinct_is_lower_bound ? '>' : ''}${formatCompact(candidate.distinct)} values`,
        }))}
      />
      <SelectField
        label="Comparison"
        value={operator}
        onChange={setOperator}
        choices={COMPARISONS.filter(({ ofNumbers }) => isNumber || !ofNumbers)}
      />
      <SuggestField
        label="Value"
        value={text}
        onChange={setText}
        onChoose={setText}
        placeholder={attribute ? 'Choose or type' : 'Choose an attribute first'}
        hint={isNumber && attribute.min !== null ? `From ${attribute.min} to ${attribute.max} in the data` : undefined}
        choices={(attribute?.top_values ?? [])
          .map((top) => ({ value: String(top.value), label: String(top.value), note: formatCompact(top.count) }))
          .filter(
            ({ label }) => text === '' || isOne(text, attribute) || label.toLowerCase().includes(text.toLowerCase()),
          )}
      />
      <Button onPress={finish} isDisabled={value === undefined}>
        <Plus size={15} aria-hidden /> {add}
      </Button>
    </div>
  );
}

/** Both conditions, in the syntax of filters. */
export function joined(filter: string | null | undefined, condition: string): string {
  if (!filter?.trim()) return condition;
  return /\bOR\b/i.test(filter) ? `(${filter.trim()}) AND ${condition}` : `${filter.trim()} AND ${condition}`;
}
