import { type RefObject, useEffect, useRef } from 'react';

/** Scrolls the tab of `path` into view, in a row of tabs that may be wider than the window. */
export function useCurrentTab(path: string): RefObject<HTMLElement | null> {
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => {
    const current = path === '' ? null : tabs.current?.querySelector<HTMLElement>('[aria-current]');
    if (!tabs.current || !current) return;
    const { left, width } = current.getBoundingClientRect();
    const frame = tabs.current.getBoundingClientRect();
    tabs.current.scrollLeft += left + width / 2 - (frame.left + frame.width / 2);
  }, [path]);
  return tabs;
}
