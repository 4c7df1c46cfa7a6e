/**
 * A method whose input was found right and whose work this version cannot do.
 * The README lists these methods; none of them pretends.
 */
export class NotSupportedError extends Error {
  override readonly name = 'NotSupportedError';
  readonly method: string;

  constructor(method: string) {
    super(`${method}() is not supported by this version of the call library`);
    this.method = method;
  }
}
