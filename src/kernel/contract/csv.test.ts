import { expect, test } from 'vitest';
import { csvLine } from './csv.ts';

test('attack 38: no text is a formula, for whatever program opens the file', () => {
  for (const start of ['=', '+', '-', '@', '\t=', ' =', '＝', '＠', '|', '%'])
    expect(csvLine([`${start}1+1`]), JSON.stringify(start)).toBe(`'${start}1+1\r\n`);
  for (const start of ['\r', '\n@']) expect(csvLine([`${start}1+1`])).toBe(`"'${start}1+1"\r\n`);
});

test('a text with a separator is quoted, and a number stays one', () => {
  expect(csvLine(['a,"b"\nc', '', -12.5])).toBe('"a,""b""\nc",,-12.5\r\n');
});
