import { Compass } from 'lucide-react';
import { Page } from '../shell/page.tsx';
import { LinkButton } from '../ui/button.tsx';
import { EmptyState } from '../ui/states.tsx';

export default function NotFoundPage() {
  return (
    <Page title="Not here">
      <EmptyState
        icon={<Compass size={36} strokeWidth={1.4} aria-hidden />}
        title="There is no such page"
        action={
          <LinkButton to="/" look="primary">
            To the overview
          </LinkButton>
        }
      >
        The address may be mistyped, or what it showed was deleted.
      </EmptyState>
    </Page>
  );
}
