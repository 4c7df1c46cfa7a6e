import { Suspense, useContext, useEffect, useRef } from 'react';
import { toast } from 'react-hot-toast/headless';
import { Route, Switch, useLocation } from 'wouter';
import { NOT_FOUND_PAGE, type PageRoute } from '../../kernel/contract/routes.ts';
import { titleOf } from '../../ui/brand.ts';
import { ErrorBoundary } from '../../ui/parts/error-boundary.tsx';
import { Toaster } from '../../ui/parts/toaster.tsx';
import { FailedPage } from '../frame/failed-page.tsx';
import { PageShownContext, PageSourceContext } from './page-source.ts';
import { ROUTES, routeOf } from './route-table.ts';

/** The whole application: the page of the address, and the toasts above it. */
export function App() {
  useTitle();
  return (
    <>
      <Switch>
        {ROUTES.map((route) => (
          <Route key={route.path} path={route.path}>
            <PageView route={route} />
          </Route>
        ))}
      </Switch>
      <Toaster />
    </>
  );
}

function PageView({ route }: { route: PageRoute }) {
  const Page = useContext(PageSourceContext)(route.page);
  return (
    <ErrorBoundary key={route.page} fallback={<FailedPage />}>
      <Suspense fallback={<div className="page-waiting" aria-busy="true" />}>
        <Page />
        <Shown />
      </Suspense>
    </ErrorBoundary>
  );
}

/** Inside the boundary, because React takes what is inside one over later than what is outside. */
function Shown() {
  const onShown = useContext(PageShownContext);
  useEffect(onShown, [onShown]);
  useEffect(() => {
    // After a move inside the site, where what had the focus is gone, the keyboard goes on at the new content.
    const isLater = document.documentElement.dataset.ready === '';
    if (isLater && document.activeElement === document.body)
      document.getElementById('main')?.focus({ preventScroll: true });
  }, []);
  return null;
}

/** After a move inside the site: no old toasts, the title, the top of the page, and `data-page` for the styles. */
function useTitle(): void {
  const [path] = useLocation();
  const first = useRef(true);
  useEffect(() => {
    const route =
      first.current && document.documentElement.dataset.page === NOT_FOUND_PAGE.page
        ? NOT_FOUND_PAGE
        : routeOf(path);
    document.title = titleOf(route);
    document.documentElement.dataset.page = route.page;
    if (!first.current) {
      turnToasts();
      // The splash opens the visit, not every way back to the home page.
      document.documentElement.dataset.seen = '';
      if (window.location.hash === '') window.scrollTo(0, 0);
    }
    first.current = false;
  }, [path]);
}

/** What was said about one page is not said about the next; what the move itself has to `say`, in its state, is. */
function turnToasts(): void {
  toast.remove();
  const state = window.history.state as { say?: unknown } | null;
  if (typeof state?.say !== 'string') return;
  toast.success(state.say);
  // Once: not again when the visitor comes back to this entry.
  window.history.replaceState(null, '');
}
