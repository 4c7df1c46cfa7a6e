/**
 * Thrown by a method whose input is correct, or for an action of the wire, that this version cannot carry
 * out. The README lists these methods.
 */
export class NotSupportedError extends Error {
  override readonly name = 'NotSupportedError';
  readonly method: string;

  constructor(method: string) {
    super(
      `${method}${/^\w+$/.test(method) ? '()' : ''} is not supported by this version of the call library`,
    );
    this.method = method;
  }
}
