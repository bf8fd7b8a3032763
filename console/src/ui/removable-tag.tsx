import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';

/** An entry of a list of tags, with a button that removes it. Shows its name, or the children. */
export function RemovableTag({
  name,
  title,
  onRemove,
  children = name,
}: {
  name: string;
  title?: string;
  onRemove: () => void;
  children?: ReactNode;
}) {
  return (
    <li className="tag" title={title}>
      {children}
      <Button look="quiet" size="small" icon aria-label={`Remove ${name}`} onPress={onRemove}>
        <X size={13} aria-hidden />
      </Button>
    </li>
  );
}
