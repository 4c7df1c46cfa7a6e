import { Suspense, useContext, useEffect, useRef } from 'react';
import { toast } from 'react-hot-toast/headless';
import { Route, Switch, useLocation } from 'wouter';
import { consolePageOf, NOT_FOUND_PAGE, PAGES, type PageRoute } from '../../kernel/contract/routes.ts';
import { titleOf } from '../../ui/brand.ts';
import { ErrorBoundary } from '../../ui/parts/error-boundary.tsx';
import { Toaster } from '../../ui/parts/toaster.tsx';
import { FailedPage } from '../frame/failed-page.tsx';
import { PageShownContext, PageSourceContext } from './page-source.ts';
import { ROUTES, routeOf } from './route-table.ts';

/** The whole application: the page at the current address, and the toasts above it. */
export function App() {
  useTitle();
  return (
    <>
      <Switch>
        {ROUTES.map((route) => (
          // The pages of the console are one: a record opens beside its list, which stays as it is.
          <Route key={route.page === PAGES.operator.page ? route.page : route.path} path={route.path}>
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

/** Inside the boundary, because React hydrates it later than what is outside. */
function Shown() {
  const onShown = useContext(PageShownContext);
  useEffect(onShown, [onShown]);
  useEffect(() => {
    // After a navigation inside the site, the element that had the focus is gone, so the focus moves to the
    // new content.
    const isLater = document.documentElement.dataset.ready === '';
    if (isLater && document.activeElement === document.body)
      document.getElementById('main')?.focus({ preventScroll: true });
  }, []);
  return null;
}

/**
 * After a navigation inside the site: removes old toasts, and sets the title, the scroll position, and
 * `data-page` for the styles.
 */
function useTitle(): void {
  const [path] = useLocation();
  const first = useRef(true);
  const former = useRef(path);
  useEffect(() => {
    const route =
      first.current && document.documentElement.dataset.page === NOT_FOUND_PAGE.page
        ? NOT_FOUND_PAGE
        : routeOf(path);
    document.title = titleOf(route);
    document.documentElement.dataset.page = route.page;
    // A record of the console opens beside its list, which stays where it is.
    const stays = route.page === PAGES.operator.page && consolePageOf(path) === consolePageOf(former.current);
    former.current = path;
    if (!first.current && !stays) {
      turnToasts();
      // The splash is shown at the first visit, not each time that the visitor returns to the home page.
      document.documentElement.dataset.seen = '';
      if (window.location.hash === '') window.scrollTo(0, 0);
    }
    first.current = false;
  }, [path]);
}

/**
 * Removes messages about the former page; shows the message in the state of the navigation (`say`), if any.
 */
function turnToasts(): void {
  toast.remove();
  const state = window.history.state as { say?: unknown } | null;
  if (typeof state?.say !== 'string') return;
  toast.success(state.say);
  // Shown once: not again when the visitor comes back to this history entry.
  window.history.replaceState(null, '');
}
