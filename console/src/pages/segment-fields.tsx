// Which traits become attributes of users, and which fields of a message become attributes of its event.
import { useState } from 'react';
import { type SegmentMapping, useSaveSegmentMapping } from '../api/segment.ts';
import { useAction } from '../ui/action.ts';
import { ActionForm } from '../ui/action-form.tsx';
import { Card } from '../ui/card.tsx';
import { TextField } from '../ui/field.tsx';
import { useToast } from '../ui/toast.tsx';

export function SegmentFieldsCard({ projectId, mapping }: { projectId: string; mapping: SegmentMapping }) {
  const save = useSaveSegmentMapping(projectId);
  const toast = useToast();
  const [traits, setTraits] = useState((mapping.traits ?? []).join(', '));
  const [attributes, setAttributes] = useState(linesOf(mapping.attributes ?? {}));
  const wrong = attributes.split('\n').find((line) => line.trim() !== '' && !/^\s*[^=]+=\s*\S+\s*$/.test(line));
  const submit = useAction(async () => {
    const names = traits.split(',').flatMap((name) => name.trim() || []);
    const pairs = attributes.split('\n').flatMap((line) => (line.trim() === '' ? [] : [pairOf(line)]));
    await save({
      ...(mapping.events && { events: mapping.events }),
      ...(names.length > 0 && { traits: names }),
      ...(pairs.length > 0 && { attributes: Object.fromEntries(pairs) }),
    });
    toast('Mapping saved');
  });
  return (
    <Card title="Attributes">
      <ActionForm action={submit} submit="Save" needs="/update-project" isDisabled={wrong !== undefined}>
        <TextField
          label="Traits of users"
          value={traits}
          onChange={setTraits}
          placeholder="plan, country"
          hint="From identify messages, separated by commas. Leave empty for all but those that name a person, such as email."
        />
        <TextField
          label="Attributes of events"
          multiline
          value={attributes}
          onChange={setAttributes}
          placeholder="device = context.device.type"
          hint="One per line: name = path in the message."
          error={wrong && `“${wrong.trim()}” has no path. Write name = path.`}
        />
      </ActionForm>
    </Card>
  );
}

const linesOf = (attributes: Record<string, string>): string =>
  Object.entries(attributes)
    .map(([name, path]) => `${name} = ${path}`)
    .join('\n');

function pairOf(line: string): [string, string] {
  const at = line.indexOf('=');
  return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
}
