// First: the content of the agency is in force before anything reads it.
import '../../ui/brand.ts';
import { renderToString } from 'react-dom/server';
import { Router } from 'wouter';
import { NOT_FOUND_PAGE, PAGES, type PageRoute } from '../../kernel/contract/routes.ts';
import { embeddedContent, type InstalledContent } from '../../kernel/contract/site-content.ts';
import { App } from './app.tsx';
import { type PageModule, PageSourceContext } from './page-source.ts';
import { type PageFiles, printDocument } from './print-document.ts';

const modules = import.meta.glob<PageModule>('../pages/*.tsx', { eager: true });

/** Where a page is printed: parameters and unknown addresses need one that fits. */
const placeOf = (route: PageRoute): string =>
  route.path === '*' ? '/no-such-stop' : route.path.replace(/:\w+/g, '_');

/** The HTML of the page at `path`, as it stands before any script runs. */
function printPage(path: string): string {
  return renderToString(
    <PageSourceContext value={(name) => modules[`../pages/${name}.tsx`]?.default ?? (() => null)}>
      <Router ssrPath={path} ssrSearch="">
        <App />
      </Router>
    </PageSourceContext>,
  );
}

/**
 * The whole documents of pages, by the names of PAGES, with the content that is in force.
 *
 * @param files what each page refers to
 * @throws Error for a page without a module
 */
export function printDocuments(
  names: readonly string[],
  files: Readonly<Record<string, PageFiles>>,
): Record<string, string> {
  const routes: Readonly<Record<string, PageRoute>> = { ...PAGES, notFound: NOT_FOUND_PAGE };
  const { northlineContent } = globalThis as { northlineContent?: InstalledContent };
  const content = northlineContent && embeddedContent(northlineContent);
  return Object.fromEntries(
    names.map((name) => {
      const [route, own] = [routes[name], files[name]];
      if (route === undefined || own === undefined || !(`../pages/${route.page}.tsx` in modules))
        throw new Error(`There is no page ${name}.`);
      return [name, printDocument({ route, body: printPage(placeOf(route)), content }, own)];
    }),
  );
}
