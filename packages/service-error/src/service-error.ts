/**
 * A failure that the caller may be told about. The HTTP server turns it into a reply, and a page maps `code`
 * to words of its own. Wrong input that a caller is expected to handle is a value, not a throw; anything else
 * that is thrown is an internal error.
 */
export class ServiceError extends Error {
  /** Stable machine word, e.g. `invalid_credentials`. */
  readonly code: string;
  /** HTTP status of the reply. */
  readonly status: number;
  /** Extra fields of the reply body, e.g. `{ reasons: [...] }`. Never secrets. */
  readonly details: Record<string, unknown>;
  /** Extra reply headers, e.g. `{ 'retry-after': '3' }`. */
  readonly headers: Record<string, string>;

  /**
   * @param status HTTP status
   * @param code stable machine word
   * @param message one safe sentence that a person can act on
   */
  constructor(
    status: number,
    code: string,
    message: string,
    extra: { details?: Record<string, unknown>; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, extra.cause === undefined ? undefined : { cause: extra.cause });
    this.name = 'ServiceError';
    this.status = status;
    this.code = code;
    this.details = extra.details ?? {};
    this.headers = extra.headers ?? {};
  }
}
