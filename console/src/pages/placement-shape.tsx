// What shapes a list, always or while a rule holds: a filter, boosts and pins.
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { Project } from '../../../src/client/index.ts';
import { MAX_LIST_ITEMS } from '../../../src/domain/list-limits.ts';
import { useItems } from '../api/items.ts';
import type { Shape } from '../api/placements.ts';
import { Button } from '../ui/button.tsx';
import { Segments, SelectField, TextField } from '../ui/field.tsx';
import { checkFilter } from './check-filter.ts';
import { ConditionPicker, joined, type Subject } from './condition-picker.tsx';
import { ItemPicker } from './item-picker.tsx';
import { Entries, Group } from './shape-group.tsx';

const SUBJECT_NAMES: Record<Subject, string> = { item: 'Item', user: 'User', context: 'Context' };

const FACTORS = ['0.1', '0.25', '0.5', '1.5', '2', '3', '5', '10'] as const;

export function ShapeFields<S extends Shape>({
  project,
  shape,
  onChange,
  allowsParams,
}: {
  project: Project;
  shape: S;
  onChange: (shape: S) => void;
  /** In its filter. */
  allowsParams?: boolean;
}) {
  return (
    <div className="stack">
      <FilterBuilder
        title="Only items that match"
        text={shape.filter_query ?? ''}
        onChange={(text) => onChange({ ...shape, filter_query: text || undefined })}
        pickers={[{ of: 'item', datasetId: project.item_dataset_id }]}
        allowsParams={allowsParams}
      />
      <Boosts project={project} shape={shape} onChange={(boosts) => onChange({ ...shape, boosts })} />
      <Pins project={project} shape={shape} onChange={(pins) => onChange({ ...shape, pins })} />
    </div>
  );
}

/** Conditions are added by choosing; the text they make is shown and can be changed. */
export function FilterBuilder({
  title,
  text,
  onChange,
  pickers,
  allowsParams,
}: {
  title: string;
  text: string;
  onChange: (text: string) => void;
  /** What conditions may speak of; the first one is chosen at the beginning. */
  pickers: { of: Subject; datasetId: string }[];
  allowsParams?: boolean;
}) {
  const [subject, setSubject] = useState(pickers[0].of);
  const [by, setBy] = useState<'AND' | 'OR'>('AND');
  const picker = pickers.find(({ of }) => of === subject) ?? pickers[0];
  return (
    <Group title={title}>
      {(pickers.length > 1 || text !== '') && (
        <div className="row">
          {pickers.length > 1 && (
            <Segments
              label="What the condition is about"
              value={subject}
              onChange={setSubject}
              choices={pickers.map(({ of }) => ({ value: of, label: SUBJECT_NAMES[of] }))}
            />
          )}
          {text !== '' && (
            <Segments
              label="Join the next condition with"
              value={by}
              onChange={setBy}
              choices={[
                { value: 'AND', label: 'and' },
                { value: 'OR', label: 'or' },
              ]}
            />
          )}
        </div>
      )}
      <ConditionPicker
        key={subject}
        {...picker}
        add="Add condition"
        onAdd={(condition) => onChange(joined(text, condition, by))}
      />
      {text !== '' && (
        <div className="row bottom">
          <div className="grow">
            <TextField
              label="As a filter"
              value={text}
              onChange={onChange}
              error={checkFilter(text, { allowsParams })?.message}
            />
          </div>
          <Button onPress={() => onChange('')}>Clear</Button>
        </div>
      )}
    </Group>
  );
}

function Boosts({
  project,
  shape: { boosts = [] },
  onChange,
}: {
  project: Project;
  shape: Shape;
  onChange: (boosts: Shape['boosts']) => void;
}) {
  const [factor, setFactor] = useState<(typeof FACTORS)[number]>('2');
  return (
    <Group title="Boosts">
      <SelectField
        label="Factor"
        value={factor}
        onChange={setFactor}
        choices={FACTORS.map((value) => ({ value, label: `× ${value}` }))}
        hint="2 doubles the chance of an item, 0.5 halves it."
      />
      <ConditionPicker
        of="item"
        datasetId={project.item_dataset_id}
        add="Add boost"
        onAdd={(filter_query) => onChange([...boosts, { filter_query, factor: Number(factor) }])}
      />
      <Entries
        label="Boosts"
        entries={boosts.map((boost) => ({
          key: `${boost.filter_query} × ${boost.factor}`,
          view: (
            <>
              <code>{boost.filter_query}</code> × {boost.factor}
            </>
          ),
          remove: () => onChange(boosts.filter((other) => other !== boost)),
        }))}
      />
    </Group>
  );
}

function Pins({
  project,
  shape: { pins = [] },
  onChange,
}: {
  project: Project;
  shape: Shape;
  onChange: (pins: Shape['pins']) => void;
}) {
  const [itemId, setItemId] = useState('');
  const [position, setPosition] = useState('1');
  const items = useItems(
    project.item_dataset_id,
    pins.map((pin) => pin.item_id),
  );
  const place = Number(position);
  const isPlace = Number.isInteger(place) && place >= 1 && place <= MAX_LIST_ITEMS;
  return (
    <Group title="Pins">
      <div className="condition-picker">
        <ItemPicker project={project} label="Item to pin" value={itemId} onChange={setItemId} />
        <TextField label="Place" type="number" value={position} onChange={setPosition} />
        <Button
          isDisabled={itemId.trim() === '' || !isPlace}
          onPress={() => {
            onChange(withPin(pins, itemId.trim(), place));
            setItemId('');
          }}
        >
          <Plus size={15} aria-hidden /> Add pin
        </Button>
      </div>
      <Entries
        label="Pins"
        entries={pins.map((pin) => ({
          key: `place ${pin.position}: ${pin.item_id}`,
          view: (
            <>
              Place {pin.position}: {items.get(pin.item_id)?.name ?? pin.item_id}
            </>
          ),
          remove: () => onChange(pins.filter((other) => other !== pin)),
        }))}
      />
    </Group>
  );
}

/** A place holds one item, and an item has one place: the newest pin wins. */
export function withPin(pins: Shape['pins'], item_id: string, position: number): NonNullable<Shape['pins']> {
  const others = (pins ?? []).filter((pin) => pin.item_id !== item_id && pin.position !== position);
  return [...others, { position, item_id }].sort((a, b) => a.position - b.position);
}
