import { expect, test } from 'vitest';
import { convertBody } from './request-body.server.ts';

const read = (text: string) => convertBody(Buffer.from(text), 'application/json');
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

test('brackets and commas inside strings do not count, however the strings are escaped', async () => {
  const strings = ['[[[{{{,,,', '\\', '\\\\', '"', '\\"', '"[', '\\\\"{', `${'\\'.repeat(99)}"`];
  for (const text of strings) {
    const body = JSON.stringify([{ [text.repeat(40)]: text.repeat(40) }, { a: text }]);
    expect((await read(body)).text).toBe(body);
    // After the string, brackets count again.
    await expect(read(`[${JSON.stringify(text)},${nested(64)}]`)).rejects.toMatchObject({ status: 400 });
    expect((await read(`[${JSON.stringify(text)},${nested(63)}]`)).type).toBe('json');
  }
});

test('strings and nesting continue from one slice to the next', async () => {
  const long = `${'\\"[{'.repeat(200_000)}`;
  expect((await read(`["${long}"]`)).type).toBe('json');
  await expect(read(`["${long}",${nested(64)}]`)).rejects.toMatchObject({ status: 400 });
  await expect(read(`${'[ '.repeat(65)}${' '.repeat(300_000)}`)).rejects.toMatchObject({ status: 400 });
  const deep = `${'['.repeat(60)}${' '.repeat(600_000)}`;
  expect((await read(deep)).text).toHaveLength(600_060);
  await expect(read(`${deep}${'['.repeat(5)}`)).rejects.toMatchObject({ status: 400 });
});

test('a string that never ends is left to the parser to refuse', async () => {
  for (const text of ['"', '["', '["\\', '["\\"', `["${'a'.repeat(300_000)}`])
    expect((await read(text)).text).toBe(text);
});
