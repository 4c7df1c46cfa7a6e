import { type ComponentType, createContext, lazy } from 'react';

/** A module of `src/site/pages`. */
export interface PageModule {
  default: ComponentType;
}

/** Returns the component of a page by the name of its module. */
export type PageSource = (name: string) => ComponentType;

/** Called when a page is shown and its controls work. */
export const PageShownContext = createContext<() => void>(() => {});

/** Gives the running application its pages. */
export const PageSourceContext = createContext<PageSource>(() => () => null);

/**
 * Loads pages one by one. `load` fetches a page beforehand, so that the first page is complete when React
 * hydrates the printed HTML.
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
