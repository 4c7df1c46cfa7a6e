/**
 * A method whose input was found right, or an action of the wire, whose work this version cannot do.
 * The README lists these methods; none of them pretends.
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
