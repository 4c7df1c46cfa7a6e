import type { Plugin } from 'vite';

/** Pages by which modules are put together: the application, and what it shows. */
const ENTRIES = {
  app: 'app/start-app',
  home: 'pages/home',
  login: 'pages/login',
  signup: 'pages/signup',
  dashboard: 'pages/dashboard',
  report: 'pages/analysis',
} as const;
type Entry = keyof typeof ENTRIES;

/**
 * Puts the modules that the same pages need into one chunk each, and the many small ones that would be left with them: on a
 * slow telephone every file costs some 15 ms, however small it is. A page never loads more than a few kilobytes that it
 * does not need (decision 0846).
 */
export function sharedChunks(): { plugin: Plugin; codeSplitting: object } {
  const needed = new Map<Entry, Set<string>>();
  const needs = (entry: Entry, id: string): boolean => needed.get(entry)?.has(id) === true;
  const group = (name: string, priority: number, test: (id: string) => boolean) => ({
    ...{ name, priority, includeDependenciesRecursively: false },
    test: (id: string) => !/\.css$/.test(id) && test(id),
  });
  return {
    plugin: {
      name: 'modules of pages',
      buildEnd() {
        for (const [entry, file] of Object.entries(ENTRIES) as [Entry, string][]) {
          const reached = new Set<string>();
          const reach = (id: string): void => {
            if (reached.has(id)) return;
            reached.add(id);
            for (const next of this.getModuleInfo(id)?.importedIds ?? []) reach(next);
          };
          for (const id of this.getModuleIds()) if (id.endsWith(`/src/site/${file}.tsx`)) reach(id);
          needed.set(entry, reached);
        }
      },
    },
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [
        group('app', 5, (id) => needs('app', id)),
        group('visitors', 4, (id) => needs('home', id) && (needs('login', id) || needs('dashboard', id))),
        group('accounts', 3, (id) => needs('login', id) && needs('dashboard', id)),
        group('sign-in', 2, (id) => needs('login', id) && needs('signup', id)),
        group('signed-in', 1, (id) => needs('dashboard', id) && needs('report', id)),
      ],
    },
  };
}
