import { expect, test } from 'vitest';
import { requirePgWire } from './caller-statement.ts';

test("the parts of the connection of pg that callers' statements use are there", () => {
  expect(() => requirePgWire()).not.toThrow();
  expect(() => requirePgWire({ parse() {}, bind() {}, describe() {} })).toThrow(/no execute, sync:/);
});
