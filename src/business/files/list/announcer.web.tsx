import { useSyncExternalStore } from 'react';

let text = '';
const watchers = new Set<() => void>();

/** Announces a sentence in the dashboard's one polite live region. */
export function announce(sentence: string): void {
  // Screen readers repeat a sentence only when the text differs.
  text = text === sentence ? `${sentence}\u00a0` : sentence;
  for (const watcher of watchers) watcher();
}

/** The dashboard's polite live region: lists, uploads and analyses make their announcements here. */
export function Announcer() {
  const spoken = useSyncExternalStore(
    watch,
    () => text,
    () => '',
  );
  return (
    <p className="hidden-text" role="status">
      {spoken}
    </p>
  );
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}
