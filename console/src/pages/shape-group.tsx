// The frame of a part of the placement editor, and the list of what was added in it.
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../ui/button.tsx';

export function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className="shape-group">
      <legend>{title}</legend>
      {children}
    </fieldset>
  );
}

export function Entries({
  label,
  entries,
}: {
  label: string;
  entries: { key: string; view: ReactNode; remove: () => void }[];
}) {
  if (entries.length === 0) return null;
  return (
    <ul className="shape-entries" aria-label={label}>
      {entries.map(({ key, view, remove }) => (
        <li key={key} className="row spread">
          <span className="long-words">{view}</span>
          <Button look="quiet" size="small" icon aria-label={`Remove ${key}`} onPress={remove}>
            <X size={15} aria-hidden />
          </Button>
        </li>
      ))}
    </ul>
  );
}
