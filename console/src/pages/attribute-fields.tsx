// Choosing an attribute of the data and one of the values it has, each with its count. Shared by the questions about users and by the
// conditions of filters.
import type { DatasetKind } from '../api/datasets.ts';
import { type AttributeStatistics, nameAttribute, useAttributeStatistics } from '../api/statistics.ts';
import { formatCompact } from '../format.ts';
import { SelectField, SuggestField } from '../ui/field.tsx';

/** The attributes of a dataset, those people ask about first. */
export function useAttributes(kind: DatasetKind, datasetId: string) {
  const { data, isLoading } = useAttributeStatistics(kind, datasetId);
  return { attributes: (data?.attributes ?? []).toSorted((a, b) => usefulness(b) - usefulness(a)), isLoading };
}

export function AttributeSelect({
  label,
  from: { attributes, isLoading },
  value,
  onChange,
}: {
  label: string;
  from: ReturnType<typeof useAttributes>;
  value: string | null;
  onChange: (attribute: string) => void;
}) {
  return (
    <SelectField
      label={label}
      value={value}
      placeholder={isLoading ? 'Loading…' : attributes.length === 0 ? 'None in the data' : 'Choose…'}
      onChange={onChange}
      choices={attributes.map(({ attribute, distinct, distinct_is_lower_bound }) => ({
        value: attribute,
        label: attribute,
        note: `${distinct_is_lower_bound ? '>' : ''}${formatCompact(distinct)} values`,
      }))}
    />
  );
}

/** Suggests the values the data has; any other text is accepted too. */
export function ValueField({
  attribute,
  text,
  onChange,
  ...more
}: {
  attribute: AttributeStatistics | undefined;
  text: string;
  onChange: (text: string) => void;
  /** Gets a suggestion that was chosen. */
  onChoose?: (text: string) => void;
  onEnter?: () => void;
  hint?: string;
  opensOn?: 'focus' | 'input';
  autoFocus?: boolean;
}) {
  const values = attribute?.top_values ?? [];
  const isWhole = text === '' || values.some(({ value }) => String(value) === text);
  return (
    <SuggestField
      onChoose={onChange}
      {...more}
      label="Value"
      value={text}
      onChange={onChange}
      placeholder={attribute ? 'Choose or type' : 'Choose an attribute first'}
      choices={values
        .map(({ value, count }) => ({ value: String(value), label: String(value), note: formatCompact(count) }))
        .filter(({ label }) => isWhole || label.toLowerCase().includes(text.toLowerCase()))}
    />
  );
}

/** Attributes with a few values first, since people ask about those; names and ids last. */
function usefulness(attribute: AttributeStatistics): number {
  if (nameAttribute([attribute.attribute])) return -2;
  if (attribute.distinct_is_lower_bound) return -1;
  return attribute.handling === 'CATEGORICAL' ? 2 : 1;
}
