import type { Block, Report } from '@northline/document-reader/report.contract';
import type { Correction } from '../corrections/fact-correction.contract.ts';

/** The functions of links to reports, and of the end of a report. */
export const SHARE_FUNCTIONS = {
  share: '/functions/v1/share-report',
  withdraw: '/functions/v1/withdraw-share',
  read: '/functions/v1/read-shared-report',
  remove: '/functions/v1/delete-analysis',
} as const;

/** Said of a link that is none, was withdrawn or is over. */
export const NO_SUCH_LINK = 'There is no such link.';

/** Days for which a link may hold. */
export const SHARE_DAYS = [1, 7, 30, 90] as const;
/** Links of one report at a time. */
export const MOST_SHARES = 20;

/** A row of `analysis_shares` as its owner reads it. Times are ISO 8601. */
export interface Share {
  readonly id: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly opened: number;
  /** It shows the report without what was found sensitive. */
  readonly without_sensitive: boolean;
}

/** Answer of `read-shared-report`: what the owner sees, without the file itself. */
export interface SharedReport {
  readonly file_name: string;
  readonly expires_at: string;
  /** What was found sensitive is blotted out. */
  readonly without_sensitive: boolean;
  readonly report: Report;
  readonly blocks: readonly Block[];
  readonly corrections: readonly Correction[];
}
