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
  /** Null when the system does not tell. */
  readonly disk: { readonly free: number; readonly size: number } | null;
  readonly databaseBytes: number;
  /** True when backups are scheduled. */
  readonly backsUp: boolean;
}
