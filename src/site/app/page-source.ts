import { type ComponentType, createContext, lazy } from 'react';

/** A module of `src/site/pages`. */
export interface PageModule {
  default: ComponentType;
}

/** Gives the component of a page by the name of its module. */
export type PageSource = (name: string) => ComponentType;

/** Told when a page stands and its controls work. */
export const PageShownContext = createContext<() => void>(() => {});

/** Where the running application gets its pages from. */
export const PageSourceContext = createContext<PageSource>(() => () => null);

/**
 * Pages that are fetched one by one. `load` fetches a page beforehand, so that
 * the first page is there in one piece when React takes the printed HTML over.
 */
export function createPageLoader(importers: Record<string, () => Promise<PageModule>>): {
  source: PageSource;
  load(name: string): Promise<void>;
} {
  const components = new Map<string, ComponentType>();
  const importer = (name: string) => {
    const found = importers[`../pages/${name}.tsx`] ?? importers['../pages/not-found.tsx'];
    if (found === undefined) throw new Error(`There is no page ${name}.`);
    return found;
  };
  return {
    source(name) {
      const component = components.get(name) ?? lazy(importer(name));
      components.set(name, component);
      return component;
    },
    async load(name) {
      if (!components.has(name)) components.set(name, (await importer(name)()).default);
    },
  };
}
