import type { ListWarning } from '../../../src/client/index.ts';
import { Notice } from '../ui/states.tsx';

/** What the service warns of in a list that it made. */
export function ListWarnings({ warnings = [] }: { warnings: readonly ListWarning[] | undefined }) {
  return warnings.map(({ code, message }) => (
    <Notice key={code + message} tone="warn">
      {message}
    </Notice>
  ));
}
