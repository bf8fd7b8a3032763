// The circumstances of a call, from what events have in their attributes: the device, the channel and the like.
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { AttributeScalar, Project } from '../../../src/client/index.ts';
import { Button } from '../ui/button.tsx';
import { RemovableTag } from '../ui/removable-tag.tsx';
import { AttributeSelect, useAttributes, ValueField } from './attribute-fields.tsx';
import { typed } from './typed-value.ts';

export type CallContext = Readonly<Record<string, AttributeScalar>>;

export function ContextPicker({
  project,
  context,
  onChange,
}: {
  project: Project;
  context: CallContext;
  onChange: (context: CallContext) => void;
}) {
  const from = useAttributes('event', project.event_dataset_id);
  const [name, setName] = useState<string | null>(null);
  const [text, setText] = useState('');
  const attribute = from.attributes.find((candidate) => candidate.attribute === name);
  const value = attribute && typed(text, attribute);
  return (
    <details className="disclosure" open={Object.keys(context).length > 0}>
      <summary>Context, such as the device</summary>
      <div className="stack-s">
        <div className="condition-picker">
          <AttributeSelect label="Context attribute" from={from} value={name} onChange={setName} />
          <ValueField attribute={attribute} text={text} onChange={setText} />
          <Button
            isDisabled={value === undefined}
            onPress={() => {
              if (name !== null && value !== undefined) onChange({ ...context, [name]: value });
              setText('');
            }}
          >
            <Plus size={15} aria-hidden /> Set context
          </Button>
        </div>
        {Object.keys(context).length > 0 && (
          <ul className="tags" aria-label="Context">
            {Object.entries(context).map(([attributeName, set]) => (
              <RemovableTag
                key={attributeName}
                name={attributeName}
                onRemove={() => {
                  const { [attributeName]: _, ...rest } = context;
                  onChange(rest);
                }}
              >
                {attributeName} {String(set)}
              </RemovableTag>
            ))}
          </ul>
        )}
      </div>
    </details>
  );
}
