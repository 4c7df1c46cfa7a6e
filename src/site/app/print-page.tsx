import { renderToString } from 'react-dom/server';
import { Router } from 'wouter';
import { App } from './app.tsx';
import { type PageModule, PageSourceContext } from './page-source.ts';

const modules = import.meta.glob<PageModule>('../pages/*.tsx', { eager: true });

/** Whether the page's module exists. */
export function hasPage(name: string): boolean {
  return `../pages/${name}.tsx` in modules;
}

/** The HTML of the page at `path`, as it stands before any script runs. */
export function printPage(path: string): string {
  return renderToString(
    <PageSourceContext value={(name) => modules[`../pages/${name}.tsx`]?.default ?? (() => null)}>
      <Router ssrPath={path} ssrSearch="">
        <App />
      </Router>
    </PageSourceContext>,
  );
}
