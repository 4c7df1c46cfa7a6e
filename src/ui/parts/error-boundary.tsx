import { Component, type ReactNode } from 'react';
import { Button } from './button.tsx';

/** Keeps a failure of one part from breaking the whole page; offers to try again, or shows `fallback`. */
export class ErrorBoundary extends Component<
  { children: ReactNode; fallback?: ReactNode },
  { failed: boolean }
> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    const { children, fallback } = this.props;
    if (!this.state.failed) return children;
    if (fallback !== undefined) return fallback;
    return (
      <div className="panel empty" role="alert">
        <h1>Something went wrong on this page</h1>
        <p className="meta">Your files and your plan are safe.</p>
        <Button look="quiet" onClick={() => this.setState({ failed: false })}>
          Try again
        </Button>
      </div>
    );
  }
}
