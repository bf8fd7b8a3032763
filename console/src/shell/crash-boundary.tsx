// A page that fails to draw says so and leaves the rest of the console working.
import { Component, type ReactNode } from 'react';
import { EmptyState } from '../ui/states.tsx';

export class CrashBoundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state = { error: null as Error | null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    if (!this.state.error) return this.props.children;
    return (
      <EmptyState
        title="This page could not be shown"
        action={
          <button type="button" className="button primary" onClick={() => location.reload()}>
            Reload the page
          </button>
        }
      >
        {this.state.error.message}. Reloading fetches the newest version of the console; your data is not affected.
      </EmptyState>
    );
  }
}
