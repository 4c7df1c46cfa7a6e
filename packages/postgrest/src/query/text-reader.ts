import type { ServiceError } from '@northline/service-error/service-error';
import { parseError } from '../rest-error.ts';

/** A word ends at a character that has a meaning in a query string. */
const NAME_END = /[.,:()"!]|->|$/g;

/** A key of a JSON path ends at fewer characters than a name. */
const KEY_END = /[.,:()>]|->|$/g;

/** A cursor over one value of the query string; every failure is a PGRST100 that names the place. */
export class TextReader {
  position = 0;
  readonly text: string;
  readonly what: string;
  readonly #before: number;

  /**
   * @param what names the parameter in errors, e.g. `select parameter`
   * @param before characters that stand before the text when errors count columns
   */
  constructor(text: string, what: string, before = 0) {
    this.text = text;
    this.what = what;
    this.#before = before;
  }

  get done(): boolean {
    return this.position >= this.text.length;
  }

  fail(expected: string): ServiceError {
    const found = this.done ? 'end of input' : JSON.stringify(this.text[this.position]);
    return this.#failAt(found, expected);
  }

  /** As `fail`, where the text should have ended: PostgREST then quotes the character in another way. */
  failEnd(expected: string): ServiceError {
    return this.#failAt(`'${this.text[this.position]}'`, expected);
  }

  #failAt(found: string, expected: string): ServiceError {
    const column = this.#before + this.position + 1;
    return parseError(this.what, this.text, column, `unexpected ${found} expecting ${expected}`);
  }

  /** Moves past `token` if it comes next. */
  take(token: string): boolean {
    if (!this.text.startsWith(token, this.position)) return false;
    this.position += token.length;
    return true;
  }

  expect(token: string): void {
    if (!this.take(token)) throw this.fail(JSON.stringify(token));
  }

  /** Moves past a sticky pattern and returns its match. */
  match(pattern: RegExp): RegExpExecArray | undefined {
    const sticky = new RegExp(pattern.source, 'y');
    sticky.lastIndex = this.position;
    const found = sticky.exec(this.text);
    if (found === null) return undefined;
    this.position += found[0].length;
    return found;
  }

  skipSpaces(): void {
    this.match(/\s*/);
  }

  /** A name, bare or in double quotes. @param others what may stand here besides, for errors */
  name(others = ''): string {
    if (this.text[this.position] === '"') return this.quoted();
    const end = this.#endOf(NAME_END);
    const name = this.text.slice(this.position, end).trim();
    if (name === '') throw this.fail(`field name (* or [a..z0..9_$])${others}`);
    this.position = end;
    return name;
  }

  /** A key of a JSON path, bare or in double quotes, or an index. After a minus an index follows. */
  key(): string {
    if (this.text[this.position] === '"') return this.quoted();
    const end = this.#endOf(KEY_END);
    const key = this.text.slice(this.position, end);
    if (key.startsWith('-') && !/^-\d+$/.test(key)) {
      this.position += 1;
      throw this.fail('digit');
    }
    if (key === '') throw this.fail('"-", digit or any non reserved character different from: .,>()');
    this.position = end;
    return key;
  }

  #endOf(pattern: RegExp): number {
    pattern.lastIndex = this.position;
    return pattern.exec(this.text)?.index ?? this.text.length;
  }

  /** A text in double quotes; a backslash escapes the next character. */
  quoted(): string {
    this.expect('"');
    let value = '';
    for (;;) {
      const character = this.text[this.position];
      if (character === undefined) throw this.fail('"\\""');
      this.position += 1;
      if (character === '"') return value;
      if (character !== '\\') {
        value += character;
        continue;
      }
      const escaped = this.text[this.position];
      if (escaped === undefined) throw this.fail('an escaped character');
      value += escaped;
      this.position += 1;
    }
  }
}
