// Picks an item attribute and one of the values items have for it.
import { useState } from 'react';
import type { AttributeScalar } from '../../../src/client/index.ts';
import { type AttributeStatistics, nameAttribute, useAttributeStatistics } from '../api/statistics.ts';
import { formatCompact } from '../format.ts';
import { SelectField, SuggestField } from '../ui/field.tsx';

export interface ChosenValue {
  attribute: string;
  /** undefined until a value is chosen. */
  value: AttributeScalar | undefined;
}

export function valueInWords(chosen: ChosenValue | null): string {
  return chosen ? `${chosen.attribute} ${String(chosen.value ?? '')}`.trim() : '';
}

export function ValuePicker({
  itemDatasetId,
  chosen,
  onChange,
}: {
  itemDatasetId: string;
  chosen: ChosenValue | null;
  onChange: (chosen: ChosenValue) => void;
}) {
  const statistics = useAttributeStatistics('item', itemDatasetId);
  const attributes = [...(statistics.data?.attributes ?? [])].sort((a, b) => usefulness(b) - usefulness(a));
  const attribute = attributes.find((candidate) => candidate.attribute === chosen?.attribute);
  const [text, setText] = useState('');
  const choose = (value: string) => {
    setText(value);
    if (attribute) onChange({ attribute: attribute.attribute, value: typed(value, attribute) });
  };
  return (
    <>
      <SelectField
        label="Item attribute"
        value={chosen?.attribute ?? null}
        placeholder={statistics.isLoading ? 'Loading…' : 'Choose…'}
        onChange={(name) => {
          setText('');
          onChange({ attribute: name, value: undefined });
        }}
        choices={attributes.map((candidate) => ({
          value: candidate.attribute,
          label: candidate.attribute,
          note: `${candidate.distinct_is_lower_bound ? '>' : ''}${formatCompact(candidate.distinct)} values`,
        }))}
      />
      <SuggestField
        label="Value"
        value={text}
        onChange={choose}
        onChoose={choose}
        placeholder={attribute ? 'Choose or type' : 'Choose an attribute first'}
        choices={(attribute?.top_values ?? [])
          .map(({ value, count }) => ({ value: String(value), label: String(value), note: formatCompact(count) }))
          .filter(
            ({ label }) => text === '' || isOne(text, attribute) || label.toLowerCase().includes(text.toLowerCase()),
          )}
      />
    </>
  );
}

export function isOne(text: string, attribute: AttributeStatistics | undefined): boolean {
  return attribute?.top_values.some(({ value }) => String(value) === text) ?? false;
}

/** The typed text in the type items use: a year is the number 1995, not the text "1995". */
export function typed(text: string, attribute: AttributeStatistics): AttributeScalar | undefined {
  if (text === '') return undefined;
  const known = attribute.top_values.find(({ value }) => String(value) === text);
  if (known) return known.value;
  const kind = typeof attribute.top_values[0]?.value;
  if (kind === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
  if (kind === 'boolean') return text === 'true';
  return text;
}

/** Attributes with a few values first, since people ask about those; names and ids last. */
export function usefulness(attribute: AttributeStatistics): number {
  if (nameAttribute([attribute.attribute])) return -2;
  if (attribute.distinct_is_lower_bound) return -1;
  return attribute.handling === 'CATEGORICAL' ? 2 : 1;
}
