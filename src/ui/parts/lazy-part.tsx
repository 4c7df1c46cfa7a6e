import { type ComponentType, lazy } from 'react';
import { Button } from './button.tsx';

/**
 * A component whose module is fetched when it is first shown. It needs a `Suspense` around it. Where the module cannot be
 * fetched, it offers to load the page again, since browsers do not fetch a failed module twice.
 */
export function lazyPart<Module, Props extends object>(
  load: () => Promise<Module>,
  pick: (module: Module) => ComponentType<Props>,
): ComponentType<Props> {
  return lazy(() =>
    load().then(
      (module) => ({ default: pick(module) }),
      () => ({ default: NotLoaded }),
    ),
  );
}

function NotLoaded() {
  return (
    <div className="panel empty" role="alert">
      <h1>This page did not load</h1>
      <p className="meta">
        The connection may be gone, or the site has just been updated. Nothing that you have stored is lost.
      </p>
      <Button look="quiet" onClick={() => window.location.reload()}>
        Load it again
      </Button>
    </div>
  );
}
