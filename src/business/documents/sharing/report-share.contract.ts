import type { Block, Report } from '@northline/document-reader/report.contract';
import type { Correction } from '../corrections/fact-correction.contract.ts';

/** The functions for links to reports, and for the deletion of a report. */
export const SHARE_FUNCTIONS = {
  share: '/functions/v1/share-report',
  withdraw: '/functions/v1/withdraw-share',
  read: '/functions/v1/read-shared-report',
  /** `{token}`: the scan as a searchable PDF, for a link that gives it. */
  scan: '/functions/v1/read-shared-scan',
  remove: '/functions/v1/delete-analysis',
} as const;

/** Message for a link that never existed, was withdrawn or has expired. */
export const NO_SUCH_LINK = 'There is no such link.';

/** Days for which a link may be valid. */
export const SHARE_DAYS = [1, 7, 30, 90] as const;
/** Most links of one report at the same time. */
export const MOST_SHARES = 20;

/** A row of `analysis_shares`, as its owner reads it. Times are ISO 8601. */
export interface Share {
  readonly id: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly opened: number;
  /** Whether it shows the report without sensitive data. */
  readonly without_sensitive: boolean;
  /** Whether it also gives the scan as a searchable PDF. */
  readonly with_scan: boolean;
}

/** Answer of `read-shared-report`: everything that the owner sees, except the file. */
export interface SharedReport {
  readonly file_name: string;
  readonly expires_at: string;
  /** Whether sensitive data is blacked out. */
  readonly without_sensitive: boolean;
  /** Whether `read-shared-scan` gives the scan. */
  readonly with_scan: boolean;
  readonly report: Report;
  readonly blocks: readonly Block[];
  readonly corrections: readonly Correction[];
}
