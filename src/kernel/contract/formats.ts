/**
 * Storage that a plan gives, wherever it is named: whole gigabytes as such, all else in megabytes of 1024 × 1024 bytes.
 *
 * @example formatStorage(5000) // '5,000 MB', and 2048 is '2 GB'
 */
export function formatStorage(megabytes: number): string {
  return megabytes >= 1024 && megabytes % 1024 === 0
    ? `${megabytes / 1024} GB`
    : `${megabytes.toLocaleString('en-GB')} MB`;
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
