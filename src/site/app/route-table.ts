import { NOT_FOUND_PAGE, type PageRoute } from '../../kernel/contract/routes.ts';
import { sitePages } from '../../kernel/contract/service-pages.ts';
import { site } from '../../ui/brand.ts';

/** The pages in the order of the contract; the last one answers every other address. */
export const ROUTES: readonly PageRoute[] = Object.values(sitePages(site.content));

/** The route of a path, e.g. `/dashboard/files/7/analysis`; the not-found page when there is none. */
export function routeOf(path: string): PageRoute {
  return ROUTES.find((route) => patternOf(route.path).test(path)) ?? NOT_FOUND_PAGE;
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/:\w+/g, '[^/]+').replace('*', '.*')}$`);
}
