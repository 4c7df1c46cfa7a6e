/** Answer of the function `analyze` (202): the running analysis, the same one for a second click. */
export interface AnalysisRequested {
  readonly analysis_id: string;
  /** Status of the file: queued or analyzing. */
  readonly status: string;
}

/** Most analyses of one document within a day: they are free, but each costs everybody processor time. */
export const ANALYSES_A_DAY = 20;

/** Error code if the stored object is gone; the record is then removed. */
export const FILE_MISSING = 'file_missing';
