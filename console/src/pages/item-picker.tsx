// Picks an item by a part of its id or of an attribute.
import { useState } from 'react';
import type { Project } from '../../../src/client/index.ts';
import { itemInfo } from '../api/items.ts';
import { useCall } from '../api/use-call.ts';
import { SuggestField } from '../ui/field.tsx';
import { useSettled } from '../ui/use-settled.ts';

export function ItemPicker({
  project,
  label,
  value,
  onChange,
  onChoose = onChange,
  ...behavior
}: {
  project: Project;
  label: string;
  value: string;
  /** Gets the id, or the part of it that has been typed. */
  onChange: (itemId: string) => void;
  /** Gets the id that was chosen from the suggestions. */
  onChoose?: (itemId: string) => void;
  opensOn?: 'focus' | 'input';
  autoFocus?: boolean;
}) {
  const [chosen, setChosen] = useState('');
  const settled = useSettled(value.trim(), 250);
  const items = useCall(
    '/list-dataset-records',
    {
      item_dataset_id: project.item_dataset_id,
      page_size: 12,
      ...(settled && settled !== chosen ? { search: settled } : {}),
    },
    { keepPrevious: true },
  );
  const choices = (items.data?.records ?? []).flatMap((record) => {
    if (!('item_id' in record) || 'user_id' in record) return [];
    const { id, name } = itemInfo(record.item_id, record.attributes ?? {});
    return [{ value: id, label: id, note: name === id ? '' : name }];
  });
  return (
    <SuggestField
      {...behavior}
      label={label}
      value={value}
      onChange={onChange}
      onChoose={(id) => {
        setChosen(id);
        onChoose(id);
      }}
      onEnter={() => value.trim() && onChoose(value.trim())}
      choices={choices}
      placeholder="item_id, or a part of its name"
    />
  );
}
