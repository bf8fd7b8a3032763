// Picks an item attribute and one of the values items have for it.
import { useState } from 'react';
import type { AttributeScalar } from '../../../src/client/index.ts';
import { AttributeSelect, useAttributes, ValueField } from './attribute-fields.tsx';
import { typed } from './typed-value.ts';

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
  const from = useAttributes('item', itemDatasetId);
  const attribute = from.attributes.find((candidate) => candidate.attribute === chosen?.attribute);
  const [text, setText] = useState('');
  return (
    <>
      <AttributeSelect
        label="Item attribute"
        from={from}
        value={chosen?.attribute ?? null}
        onChange={(name) => {
          setText('');
          onChange({ attribute: name, value: undefined });
        }}
      />
      <ValueField
        attribute={attribute}
        text={text}
        onChange={(value) => {
          setText(value);
          if (attribute) onChange({ attribute: attribute.attribute, value: typed(value, attribute) });
        }}
      />
    </>
  );
}
