import { useCurrentTab } from './current-tab.ts';

/** A part of a page that its index names. */
export interface IndexedPart {
  /** The fragment of its address. */
  readonly id: string;
  readonly title: string;
}

interface SideIndexProps {
  readonly label: string;
  readonly parts: readonly IndexedPart[];
  /** The part that is shown, on a page that shows one at a time. */
  readonly current?: string;
}

/**
 * Links to the parts of a page, beside them. On a narrow screen they stand above the parts; if the page shows one
 * part at a time, in a row that scrolls.
 */
export function SideIndex({ label, parts, current }: SideIndexProps) {
  const row = useCurrentTab(current ?? '');
  return (
    <nav className="side-index" aria-label={label} data-row={current !== undefined || undefined} ref={row}>
      {parts.map(({ id, title }) => (
        <a key={id} href={`#${id}`} aria-current={id === current ? 'true' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
}
