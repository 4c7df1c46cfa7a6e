/**
 * Storage that a plan gives, wherever it is named: whole gigabytes as such, all else in megabytes of 1024 × 1024 bytes.
 *
 * @example formatStorage(5000) // '5,000 MB', and 2048 is '2 GB'
 */
export function formatStorage(megabytes: number): string {
  return megabytes >= 1024 && megabytes % 1024 === 0
    ? `${megabytes / 1024} GB`
    : `${formatCount(megabytes)} MB`;
}

/**
 * `1,000`. Not by `toLocaleString`: every page runs this while it starts, and a browser's first use of its languages takes
 * 36 ms of a fast processor.
 */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

const UNITS = ['B', 'KB', 'MB', 'GB'] as const;

/**
 * Bytes in a readable form: B, KB, MB or GB with one decimal, 1 KB = 1024 B (docs/specification/site.md §9).
 */
export function formatBytes(bytes: number): string {
  let value = Math.max(0, bytes);
  let unit = 0;
  while (unit < UNITS.length - 1 && Math.round(value * 10) / 10 >= 1024) {
    value /= 1024;
    unit += 1;
  }
  return unit === 0 ? `${Math.round(value)} B` : `${value.toFixed(1)} ${UNITS[unit]}`;
}

/**
 * Orders names as people read them: numbers by value, capital and small letters and accents alike. The order of a
 * language is loaded at the first comparison, because it takes tens of milliseconds while a page starts.
 */
export const compareNames = nameOrder();

function nameOrder(): (one: string, other: string) => number {
  let made: Intl.Collator | undefined;
  return (one, other) => {
    made ??= new Intl.Collator('en-GB', { numeric: true, sensitivity: 'base' });
    return made.compare(one, other);
  };
}
