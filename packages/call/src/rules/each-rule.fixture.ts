import { expect, test } from 'vitest';
import { enforce, type Rule } from './rule.ts';

/**
 * One test for each line of a table of rules. `breaking` has, for every line, an input that breaks it and the
 * exact words of the answer; a line without an input does not compile.
 */
export function testEachLine<Input, Name extends string>(
  rules: readonly (Rule<Input> & { readonly name: Name })[],
  breaking: Readonly<Record<Name, readonly [input: NoInfer<Input>, text: string]>>,
): void {
  const lines = Object.entries<readonly [Input, string]>(breaking);
  test.each(lines)('%s', (name, [input, text]) => {
    expect(rules.find(({ broken }) => broken(input))?.name).toBe(name);
    expect(() => enforce(rules, input)).toThrow(new Error(text));
  });
}

/** Fails unless the table accepts all `inputs`. */
export function expectAccepted<Input>(rules: readonly Rule<Input>[], inputs: readonly Input[]): void {
  for (const input of inputs) expect(() => enforce(rules, input)).not.toThrow();
}
