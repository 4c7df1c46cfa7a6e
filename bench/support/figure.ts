/** One line of the report. */
export interface Figure {
  readonly name: string;
  /** What was measured, with its unit. */
  readonly measured: string;
  /** The comparison or limit measured in the same run, with its unit; empty for a plain figure. */
  readonly against: string;
  /** measured / against, when more is better; undefined for a plain figure. */
  readonly ratio?: number;
  /** The aim, as a sentence. */
  readonly aim: string;
  readonly met: boolean;
  /** True when the load's own requests were refused, so that the figure means nothing: the bench fails. */
  readonly unmeasured?: boolean;
}

/** The middle value. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** A figure with one decimal and a thousands separator. */
export function shown(value: number, unit: string): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toLocaleString('en-GB', { maximumFractionDigits: digits })} ${unit}`;
}

/** Resident memory of a process and of its descendants' own pages, bytes (Linux). */
export async function residentBytes(pid: number): Promise<number> {
  const { readFile } = await import('node:fs/promises');
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
}
