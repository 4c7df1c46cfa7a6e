import { LIMITS } from '../../kernel/contract/limits.ts';

/**
 * Reply of `GET /functions/v1/statistics`. With `basis: 'illustrative'` the figures are null, and the page
 * uses the formula of docs/specification/site.md §9 with the label Illustrative (docs/specification/site.md
 * §10).
 */
export interface Statistics {
  readonly basis: 'measured' | 'illustrative';
  /** Number of analyses behind the figures. */
  readonly sample: number;
  /** Number of days that the figures cover. */
  readonly days: number;
  /** Median time of an analysis, seconds from the request to the report. */
  readonly median_analysis_seconds: number | null;
  /** Share of finished analyses that made a report, 0 to 1. */
  readonly success_share: number | null;
  /** Documents analysed in this time. */
  readonly documents_analysed: number | null;
  /** Share of the minutes since the first start, at most `days` back, in which the service ran, 0 to 1. */
  readonly uptime_share: number | null;
  /**
   * The days of this time since the first start, in UTC and oldest first, with the share of their minutes so far in which
   * the service ran, 0 to 1. Measured however few analyses there are.
   */
  readonly uptime_days: readonly { readonly day: string; readonly share: number }[];
}

/** Fewer finished analyses than this are too few to measure. */
export const SMALLEST_SAMPLE = 20;

/** How often a page asks again, milliseconds (docs/specification/site.md §9). */
export const STATISTICS_REFRESH_MS = LIMITS.statisticsRefresh;

/**
 * The four figures that the page shows while there is too little data to measure, per cent
 * (docs/specification/site.md §9).
 */
export interface IllustrativeStatistics {
  readonly processing: number;
  readonly accuracy: number;
  readonly costReduction: number;
  readonly uptime: number;
}

/**
 * The specified formula: about 85 ± 5, 95 ± 3, 60 ± 8 and just under 99.9 per cent. `random` returns numbers
 * from 0 to 1.
 */
export function illustrativeStatistics(random: () => number = Math.random): IllustrativeStatistics {
  const around = (middle: number, spread: number): number =>
    Math.round((middle + (random() * 2 - 1) * spread) * 10) / 10;
  return {
    processing: around(85, 5),
    accuracy: around(95, 3),
    costReduction: around(60, 8),
    uptime: Math.round((99.9 - random() * 0.1) * 100) / 100,
  };
}
