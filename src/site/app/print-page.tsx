import { renderToString } from 'react-dom/server';
import { Router } from 'wouter';
import type { PageRoute } from '../../kernel/contract/routes.ts';
import { sitePages } from '../../kernel/contract/service-pages.ts';
import { embeddedContent, type InstalledContent } from '../../kernel/contract/site-content.ts';
import { site } from '../../ui/brand.ts';
import { App } from './app.tsx';
import { type PageModule, PageSourceContext } from './page-source.ts';
import { type PageFiles, printDocument } from './print-document.ts';

const modules = import.meta.glob<PageModule>('../pages/*.tsx', { eager: true });

/** The address at which a page is printed: one that fits its parameters, or an unknown one. */
const placeOf = (route: PageRoute): string =>
  route.path === '*' ? '/no-such-stop' : route.path.replace(/:\w+/g, '_');

/** The HTML of the page at `path`, as it is before any script runs. */
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
 * The whole documents of pages, by the names of `sitePages`, with the content in force. A page that the build
 * lacks is left out.
 *
 * @param files the files that each page refers to, by its module
 * @throws Error for an unknown page
 */
export function printDocuments(
  names: readonly string[],
  files: Readonly<Record<string, PageFiles>>,
): Record<string, string> {
  const routes = sitePages(site.content);
  const { northlineContent } = globalThis as { northlineContent?: InstalledContent };
  const content = northlineContent && embeddedContent(northlineContent);
  return Object.fromEntries(
    names.flatMap((name) => {
      const route = routes[name];
      if (route === undefined) throw new Error(`There is no page ${name}.`);
      const own = files[route.page];
      if (own === undefined) return [];
      return [[name, printDocument({ route, body: printPage(placeOf(route)), content }, own)]];
    }),
  );
}
