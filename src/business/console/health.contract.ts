/** `GET operator-health`. Times are ISO 8601, sizes bytes. */
export interface HealthPage {
  /** The findings of `northline doctor`. */
  readonly findings: readonly {
    readonly level: 'fault' | 'advice';
    readonly what: string;
    readonly act: string;
  }[];
  /** Jobs by kind that wait, run or have failed; `late` is how many seconds the oldest is overdue. */
  readonly queues: readonly {
    readonly queue: string;
    readonly waiting: number;
    readonly active: number;
    readonly failed: number;
    readonly late: number;
  }[];
  /** The last attempts, newest first; `error` is null for a success. */
  readonly backups: readonly {
    readonly id: string;
    readonly started_at: string;
    readonly finished_at: string;
    readonly rows: number | null;
    readonly files: number | null;
    readonly error: string | null;
  }[];
  /**
   * Restores into a scratch folder, each night: of the newest backup, and of the latest second of the archive.
   * The last that was right, and the last that was not, with the reason.
   */
  readonly verifications: readonly {
    readonly kind: string;
    readonly good_at: string | null;
    readonly failed_at: string | null;
    readonly failure: string | null;
  }[];
  /**
   * The archive of the write-ahead log: the oldest second that can be restored (null before the first copy),
   * and at most how many seconds would be lost with the disk now. Null without an archive.
   */
  readonly archive: {
    readonly usable_from: string | null;
    readonly at_risk_seconds: number | null;
    readonly waiting_bytes: number;
  } | null;
  /** Null when the system does not tell. */
  readonly disk: { readonly free: number; readonly size: number } | null;
  readonly databaseBytes: number;
  /** True when backups are scheduled. */
  readonly backsUp: boolean;
}
