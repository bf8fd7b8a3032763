// The editor of a placement: its fields on one side, on the other what it would show next to what it shows today.
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { Form } from 'react-aria-components';
import type { Placement, Project } from '../../../src/client/index.ts';
import { MAX_LIST_ITEMS } from '../../../src/domain/list-limits.ts';
import { FALLBACK_KINDS, MAX_RULES, PLACEMENT_KINDS, PLACEMENT_NAME_PATTERN } from '../../../src/domain/placement.ts';
import { definitionOf, KIND_NAMES, type PlacementDefinition } from '../api/placements.ts';
import { useAttributeStatistics } from '../api/statistics.ts';
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { Problem } from '../ui/problem.tsx';
import type { ChosenAudience } from './audience.tsx';
import { checkFilter } from './check-filter.ts';
import { KnownItemsFields } from './known-items.tsx';
import { NameList } from './name-list.tsx';
import { PlacementPreview } from './placement-preview.tsx';
import { RuleFields } from './placement-rule.tsx';
import { ShapeFields, withPin } from './placement-shape.tsx';
import { VarietyFields } from './placement-variety.tsx';

const NAME = new RegExp(PLACEMENT_NAME_PATTERN);

export function PlacementEditor({
  project,
  audience,
  stored,
  start,
  submit,
  save,
  onSaved,
}: {
  project: Project;
  audience: ChosenAudience;
  /** What holds today; null for a new placement. */
  stored: { definition: PlacementDefinition; version: number } | null;
  start: PlacementDefinition;
  /** Text of the button. */
  submit: string;
  save: (definition: PlacementDefinition, name: string) => Promise<Placement>;
  onSaved?: (saved: Placement) => void;
}) {
  const [draft, setDraft] = useState(start);
  const [name, setName] = useState('');
  const [limit, setLimit] = useState(String(start.defaults.limit ?? 10));
  const saving = useAction(async () => {
    const saved = await save(draft, name.trim());
    setDraft((now) => (now === draft ? definitionOf(saved) : now));
    return saved;
  }, onSaved);
  const attributes = useAttributeStatistics('item', project.item_dataset_id).data?.attributes ?? [];
  const { defaults, rules, fallback } = draft;
  const change = (part: Partial<PlacementDefinition>) => setDraft({ ...draft, ...part });
  const changeDefaults = (part: PlacementDefinition['defaults']) => change({ defaults: { ...defaults, ...part } });
  const limitProblem = isLimit(limit) ? undefined : `Enter a whole number from 1 to ${MAX_LIST_ITEMS}.`;
  const nameProblem = NAME.test(name.trim()) ? undefined : 'Use lowercase letters, digits, - and _, up to 64.';
  const isComplete = !limitProblem && isValid(draft) && (stored !== null || !nameProblem);
  const isChanged = stored === null || JSON.stringify(draft) !== JSON.stringify(stored.definition);
  const setRule = (index: number, rule: PlacementDefinition['rules'][number]) =>
    change({ rules: rules.with(index, rule) });
  return (
    <div className="placement-editor">
      <Form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          saving.start();
        }}
      >
        <Card title="List">
          <div className="stack">
            {stored === null && (
              <TextField
                label="Name"
                value={name}
                onChange={setName}
                placeholder="home-page"
                hint="Your code calls the placement by this name."
                error={name === '' ? undefined : nameProblem}
              />
            )}
            <SelectField
              label="Kind"
              value={draft.kind}
              onChange={(kind) => change({ kind })}
              choices={PLACEMENT_KINDS.map((value) => ({ value, label: KIND_NAMES[value] }))}
            />
            <TextField
              label="Number of items"
              type="number"
              value={limit}
              onChange={(text) => {
                setLimit(text);
                if (isLimit(text)) changeDefaults({ limit: Number(text) });
              }}
              error={limitProblem}
            />
            <NameList
              label="Attributes to return"
              add="Add an attribute"
              names={defaults.attributes ?? []}
              choices={attributes.map(({ attribute }) => ({ value: attribute, label: attribute }))}
              onChange={(names) => changeDefaults({ attributes: names })}
            />
            <NameList
              label="If there are too few items, fill up with"
              add="Add a fallback"
              names={fallback}
              choices={FALLBACK_KINDS.map((value) => ({ value, label: KIND_NAMES[value] }))}
              onChange={(kinds) => change({ fallback: kinds })}
            />
          </div>
        </Card>
        <Card title="Always" lead="These apply to every call of the placement.">
          <div className="stack">
            <ShapeFields
              project={project}
              allowsParams
              shape={{ ...defaults, filter_query: defaults.filter_query ?? undefined }}
              onChange={(shape) => change({ defaults: shape })}
            />
            <VarietyFields
              project={project}
              diversity={defaults.diversity}
              onChange={(diversity) => changeDefaults({ diversity })}
            />
            <KnownItemsFields project={project} known={defaults} onChange={changeDefaults} />
          </div>
        </Card>
        <Card
          title="Rules"
          lead="Changes that apply for a time or for some users."
          actions={
            <Button
              size="small"
              isDisabled={rules.length >= MAX_RULES}
              onPress={() => change({ rules: [...rules, { name: `Rule ${rules.length + 1}` }] })}
            >
              <Plus size={15} aria-hidden /> Add rule
            </Button>
          }
        >
          {rules.length === 0 && <p className="hint">No rules.</p>}
          {rules.map((rule, index) => (
            <RuleFields
              // biome-ignore lint/suspicious/noArrayIndexKey: a rule has no id, and its name changes while it is typed
              key={index}
              project={project}
              rule={rule}
              onChange={(next) => setRule(index, next)}
              onRemove={() => change({ rules: rules.toSpliced(index, 1) })}
            />
          ))}
        </Card>
        {saving.error !== null && <Problem error={saving.error} />}
        <div className="row">
          <Button
            needs={stored === null ? '/create-placement' : '/update-placement'}
            look="primary"
            type="submit"
            isPending={saving.isPending}
            isDisabled={!isComplete || !isChanged}
          >
            {submit}
          </Button>
          {stored !== null && !isChanged && <span className="hint">Nothing changed yet.</span>}
        </div>
      </Form>
      <PlacementPreview
        project={project}
        chosen={audience}
        draft={isValid(draft) ? draft : null}
        stored={stored}
        isChanged={isChanged}
        pinning={{
          pinned: new Set(defaults.pins?.map(({ item_id }) => item_id)),
          pin: (itemId, position) => changeDefaults({ pins: withPin(defaults.pins, itemId, position) }),
          unpin: (itemId) => changeDefaults({ pins: defaults.pins?.filter(({ item_id }) => item_id !== itemId) }),
        }}
      />
    </div>
  );
}

function isLimit(text: string): boolean {
  const limit = Number(text);
  return text.trim() !== '' && Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIST_ITEMS;
}

/** Whether it can be previewed and saved as far as the editor can tell. */
function isValid({ defaults, rules }: PlacementDefinition): boolean {
  const filters = [defaults.filter_query, ...rules.flatMap((rule) => [rule.filter_query, rule.only_if])];
  return (
    filters.every((text) => checkFilter(text ?? '', { allowsParams: true }) === null) &&
    rules.every((rule) => rule.name.trim() !== '')
  );
}
