import { expect, test } from 'vitest';
import { requirePgWire } from './caller-statement.ts';

test('pg’s connection has the parts that callers’ statements use', () => {
  expect(() => requirePgWire()).not.toThrow();
  expect(() => requirePgWire({ parse() {}, bind() {}, describe() {} })).toThrow(/no execute, sync:/);
});
