// A text to copy: a key, a secret, a snippet.
import { Copy } from 'lucide-react';
import { Button } from './button.tsx';
import { useToast } from './toast.tsx';

export function CopyLine({ name, text }: { name: string; text: string }) {
  const toast = useToast();
  return (
    <div className="field">
      <span className="label">{name}</span>
      <div className="row">
        <code className="grow secret">{text}</code>
        <Button
          size="small"
          aria-label={`Copy the ${name}`}
          onPress={async () => {
            // Browsers block the clipboard on pages served over plain HTTP from another machine.
            try {
              await navigator.clipboard.writeText(text);
              toast(`${name} copied`);
            } catch {
              toast('Your browser blocked copying. Select the text and copy it by hand.');
            }
          }}
        >
          <Copy size={14} aria-hidden /> Copy
        </Button>
      </div>
    </div>
  );
}
