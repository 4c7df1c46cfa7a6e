import { useEffect, useEffectEvent } from 'react';

/**
 * Marks entries as read once they are on a page that somebody looks at: in a tab behind others they wait until it is in
 * front. What could not be marked is tried again then, or with the next message.
 *
 * @param unread ids of what is shown and not read yet
 * @param mark rejects when it was not marked
 */
export function useReading(unread: readonly string[], mark: (ids: readonly string[]) => Promise<void>): void {
  const key = unread.join(' ');
  const markAll = useEffectEvent(() => {
    if (unread.length === 0 || document.visibilityState === 'hidden') return;
    mark(unread).catch(() => undefined);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was tried once is not tried at each answer again
  useEffect(() => {
    const look = (): void => markAll();
    look();
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, [key]);
}
