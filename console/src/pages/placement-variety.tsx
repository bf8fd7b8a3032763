// How varied a list is: at most some items with the same value of an attribute, or near-duplicates in taste moved down.
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { Project } from '../../../src/client/index.ts';
import { MAX_LIST_ITEMS } from '../../../src/domain/list-limits.ts';
import type { PlacementDefinition } from '../api/placements.ts';
import { Button } from '../ui/button.tsx';
import { Segments, SelectField, TextField } from '../ui/field.tsx';
import { AttributeSelect, useAttributes } from './attribute-fields.tsx';
import { Entries, Group } from './shape-group.tsx';

type Diversity = PlacementDefinition['defaults']['diversity'];

const STRENGTHS = ['0.25', '0.5', '0.75', '1'] as const;
/** The limit of the API. */
const MAX_CAPPED_ATTRIBUTES = 5;

export function VarietyFields({
  project,
  diversity,
  onChange,
}: {
  project: Project;
  diversity: Diversity;
  onChange: (diversity: Diversity) => void;
}) {
  const [capping, setCapping] = useState(typeof diversity === 'object');
  const way = typeof diversity === 'number' ? 'spread' : capping ? 'cap' : 'off';
  return (
    <Group title="Variety">
      <Segments
        label="Variety"
        value={way}
        onChange={(next) => {
          setCapping(next === 'cap');
          onChange(next === 'spread' ? 0.5 : undefined);
        }}
        choices={[
          { value: 'off', label: 'As it comes' },
          { value: 'cap', label: 'Limit per value' },
          { value: 'spread', label: 'Fewer near-duplicates' },
        ]}
      />
      {way === 'cap' && (
        <Caps project={project} caps={typeof diversity === 'object' ? diversity.max_per : {}} onChange={onChange} />
      )}
      {typeof diversity === 'number' && (
        <SelectField
          label="How strongly"
          value={STRENGTHS.find((value) => Number(value) === diversity) ?? null}
          placeholder={String(diversity)}
          onChange={(value) => onChange(Number(value))}
          choices={STRENGTHS.map((value) => ({ value, label: value }))}
          hint="Near-duplicates in taste move down: 0.25 a little, 1 most."
        />
      )}
    </Group>
  );
}

function Caps({
  project,
  caps,
  onChange,
}: {
  project: Project;
  caps: Readonly<Record<string, number>>;
  onChange: (diversity: Diversity) => void;
}) {
  const from = useAttributes('item', project.item_dataset_id);
  const [name, setName] = useState<string | null>(null);
  const [most, setMost] = useState('2');
  const count = Number(most);
  const isCount = Number.isInteger(count) && count >= 1 && count <= MAX_LIST_ITEMS;
  const isFull = Object.keys(caps).length >= MAX_CAPPED_ATTRIBUTES;
  return (
    <>
      <div className="condition-picker">
        <AttributeSelect label="Same value of" from={from} value={name} onChange={setName} />
        <TextField label="Most items" type="number" value={most} onChange={setMost} />
        <Button
          isDisabled={name === null || !isCount || isFull}
          onPress={() => name !== null && onChange({ max_per: { ...caps, [name]: count } })}
        >
          <Plus size={15} aria-hidden /> Add limit
        </Button>
      </div>
      <Entries
        label="Limits"
        entries={Object.entries(caps).map(([attribute, limit]) => ({
          key: `at most ${limit} with the same ${attribute}`,
          view: `At most ${limit} with the same ${attribute}`,
          remove: () => {
            const { [attribute]: _, ...rest } = caps;
            onChange(Object.keys(rest).length > 0 ? { max_per: rest } : undefined);
          },
        }))}
      />
    </>
  );
}
