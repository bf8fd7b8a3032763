import { Compass } from 'lucide-react';
import { Page } from '../shell/page.tsx';
import { LinkButton } from '../ui/button.tsx';
import { EmptyState } from '../ui/states.tsx';

export default function NotFoundPage() {
  return (
    <Page title="Page not found">
      <EmptyState
        icon={<Compass size={36} strokeWidth={1.4} aria-hidden />}
        title="This page does not exist"
        action={
          <LinkButton to="/" look="primary">
            Go to overview
          </LinkButton>
        }
      >
        Check the address. What it showed may have been deleted.
      </EmptyState>
    </Page>
  );
}
