/** Answer of the function `analyze` (202): the analysis that is under way, the same one for a second click. */
export interface AnalysisRequested {
  readonly analysis_id: string;
  /** Status of the file: queued or analyzing. */
  readonly status: string;
}

/** Analyses of one document within a day: free, but each is work for all. */
export const ANALYSES_A_DAY = 20;

/** Code of the reply when the stored object is gone; the record has been removed then. */
export const FILE_MISSING = 'file_missing';
