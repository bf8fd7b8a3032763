// One rule: what messages of a name become.
import { useState } from 'react';
import type { SegmentRule } from '../api/segment.ts';
import { useAction } from '../ui/action.ts';
import { ActionForm } from '../ui/action-form.tsx';
import { SelectField, TextField } from '../ui/field.tsx';

const EFFECTS = [
  { value: 'event', label: 'Becomes an event' },
  { value: 'skip', label: 'Is skipped' },
] as const;

export function SegmentRuleForm({
  name: givenName,
  rule,
  onSave,
  onSaved,
}: {
  /** null: to be chosen */
  name: string | null;
  rule: SegmentRule | null;
  onSave: (name: string, rule: SegmentRule | null) => Promise<void>;
  onSaved: () => void;
}) {
  const [name, setName] = useState(givenName ?? '');
  const [effect, setEffect] = useState<'event' | 'skip'>(rule === null ? 'skip' : 'event');
  const [type, setType] = useState(rule?.event_type ?? '');
  const [itemId, setItemId] = useState(rule?.item_id ?? '');
  const [value, setValue] = useState(rule?.value ?? '');
  const [products, setProducts] = useState(rule?.products ?? '');
  const submit = useAction(async () => {
    const paths = { item_id: itemId.trim(), value: value.trim(), products: products.trim() };
    const given = Object.fromEntries(Object.entries(paths).filter(([, path]) => path !== ''));
    await onSave(name.trim(), effect === 'skip' ? null : { event_type: type.trim(), ...given });
  }, onSaved);
  return (
    <ActionForm
      action={submit}
      submit="Save"
      isDisabled={name.trim() === '' || (effect === 'event' && type.trim() === '')}
    >
      {givenName === null && (
        <TextField label="Name of the message" value={name} onChange={setName} placeholder="Song Played" />
      )}
      <SelectField label="A message of this name" choices={[...EFFECTS]} value={effect} onChange={setEffect} />
      {effect === 'event' && (
        <>
          <TextField label="Event type" value={type} onChange={setType} placeholder="play" />
          <TextField
            label="Path of the item id"
            value={itemId}
            onChange={setItemId}
            placeholder="properties.song_id"
            hint="Names joined by dots. Leave empty for product_id, sku or id."
          />
          <TextField label="Path of the value" value={value} onChange={setValue} hint="Leave empty for 1." />
          <TextField
            label="Path of a list of products"
            value={products}
            onChange={setProducts}
            hint="One event for each product. The other paths then start at the product."
          />
        </>
      )}
    </ActionForm>
  );
}
