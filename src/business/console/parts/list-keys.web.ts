import { useShortcuts } from '../../../ui/parts/shortcuts.tsx';

/** The keys of the console, as its list of shortcuts shows them. */
export const CONSOLE_KEYS = [
  { key: '/', does: 'Search everything, as Ctrl+K does' },
  { key: 'j', does: 'Next in the list' },
  { key: 'k', does: 'Previous in the list' },
  { key: 'Enter', does: 'Open' },
  { key: '?', does: 'Show this list' },
];

/** Moves in the list on the screen with j and k, and opens the search with `/`; Enter presses what has the focus. */
export function useListKeys(): void {
  useShortcuts({
    '/': () => document.getElementById('console-find')?.click(),
    j: () => moveBy(1),
    k: () => moveBy(-1),
  });
}

/**
 * Moves the focus among the records on the screen, from the one with the focus, or else from the open one. If that has left
 * the list, for example because it was answered, the next record has its place.
 */
function moveBy(step: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-record]')].filter((row) =>
    row.checkVisibility(),
  );
  const focused = rows.indexOf(document.activeElement as HTMLElement);
  const from = focused >= 0 ? focused : rows.findIndex((row) => row.ariaCurrent === 'true');
  const left = Number(document.querySelector<HTMLElement>('[data-open-place]')?.dataset.openPlace ?? 0);
  const next = from < 0 ? (step > 0 ? left : left - 1) : from + step;
  rows[Math.min(rows.length - 1, Math.max(0, next))]?.focus();
}
