// Several items, chosen one by one, in the order they were added.
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { Project } from '../../../src/client/index.ts';
import { useItems } from '../api/items.ts';
import { Button } from '../ui/button.tsx';
import { RemovableTag } from '../ui/removable-tag.tsx';
import { ItemPicker } from './item-picker.tsx';

export function ItemListPicker({
  project,
  label,
  itemIds,
  onChange,
  most,
}: {
  project: Project;
  label: string;
  itemIds: readonly string[];
  onChange: (itemIds: string[]) => void;
  most: number;
}) {
  const [text, setText] = useState('');
  // A field of its own for each item: an emptied one would show its suggestions again, over the page.
  const [turn, setTurn] = useState(0);
  const items = useItems(project.item_dataset_id, [...itemIds]);
  const add = (itemId: string) => {
    onChange([...itemIds.filter((id) => id !== itemId), itemId].slice(-most));
    setText('');
    setTurn(turn + 1);
  };
  return (
    <div className="stack-s">
      <div className="row bottom nowrap">
        <div className="grow">
          <ItemPicker
            key={turn}
            project={project}
            label={label}
            value={text}
            onChange={setText}
            onChoose={add}
            opensOn="input"
            autoFocus={turn > 0}
          />
        </div>
        <Button icon aria-label="Add item" isDisabled={text.trim() === ''} onPress={() => add(text.trim())}>
          <Plus size={16} aria-hidden />
        </Button>
      </div>
      {itemIds.length > 0 && (
        <ol className="tags" aria-label={label}>
          {itemIds.map((id) => {
            const name = items.get(id)?.name ?? id;
            return (
              <RemovableTag
                key={id}
                name={name}
                title={id}
                onRemove={() => onChange(itemIds.filter((other) => other !== id))}
              />
            );
          })}
        </ol>
      )}
    </div>
  );
}
