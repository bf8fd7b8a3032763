// Shows an error for a page that fails to render, and keeps the rest of the console working.
import { Component, type ReactNode } from 'react';
import { EmptyState } from '../ui/states.tsx';

interface Props {
  /** The current path: moving to another page clears the error. */
  place: string;
  children: ReactNode;
}

export class CrashBoundary extends Component<Props, { error: Error | null }> {
  override state = { error: null as Error | null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override componentDidUpdate(before: Props) {
    if (this.state.error && before.place !== this.props.place) this.setState({ error: null });
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
        {this.state.error.message}. Reload to get the newest version of the console. Your data is not affected.
      </EmptyState>
    );
  }
}
