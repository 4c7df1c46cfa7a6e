// Imported first: otherwise the bundler cuts this chunk in two, which are 1.2 KB larger together.
import '../../ui/brand.ts';
import { StrictMode, startTransition } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { createPageLoader, type PageModule, PageShownContext, PageSourceContext } from './page-source.ts';
import { routeOf } from './route-table.ts';

const pages = createPageLoader(import.meta.glob<PageModule>('../pages/*.tsx'));

/** Resolves once React has hydrated the page and every control works. */
export const ready: Promise<void> = start();

async function start(): Promise<void> {
  const root = document.getElementById('app');
  if (root === null) throw new Error('The page has no #app.');
  const isNotFound = document.documentElement.dataset.page === 'not-found';
  await pages.load(isNotFound ? 'not-found' : routeOf(window.location.pathname).page);
  return new Promise((taken) => {
    // A transition is worked off in slices of milliseconds, so a tap while the page starts is answered.
    startTransition(() => {
      hydrateRoot(
        root,
        <StrictMode>
          <PageSourceContext value={pages.source}>
            <PageShownContext value={taken}>
              <App />
            </PageShownContext>
          </PageSourceContext>
        </StrictMode>,
      );
    });
  });
}
