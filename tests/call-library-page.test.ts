import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { FATAL_ERROR_TYPES } from '../packages/call/src/call-events.ts';
import { EVENTS, METHODS, NOTES } from './support/voice/call-library-table.ts';

const ROOT = path.join(import.meta.dirname, '..');
const DRIVEN = 'tests/journeys/call-library.test.ts';
const ERRORS = 'tests/journeys/room-errors.test.ts';
const LIFE = ['load', 'join', 'leave', 'destroy'];
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
const declarations = read('node_modules/vapi-web-2.1.5/node_modules/@daily-co/daily-js/index.d.ts');

/** The methods and events of the specified version, from its own declarations. */
function declared(): { methods: string[]; events: string[] } {
  const [, body = ''] = /export interface DailyCall \{\n([\s\S]*?)\n\}/.exec(declarations) ?? [];
  const methods = [...body.matchAll(/^ {2}(\w+)(?:<[^(]*>)?\(/gm)].map(([, name = '']) => name);
  const [, names = ''] = /export type DailyEvent =\n([\s\S]*?);/.exec(declarations) ?? [];
  return {
    methods: [...new Set(methods)],
    events: [...names.matchAll(/'([^']+)'/g)].map(([, name = '']) => name),
  };
}

test('every method and every event of the specified library has a row', () => {
  const { methods, events } = declared();
  expect([...Object.keys(METHODS), ...LIFE].sort()).toEqual([...methods].sort());
  expect(Object.keys(EVENTS)).toEqual(events);
  expect(events).toHaveLength(81);
  expect(Object.keys(NOTES).filter((name) => METHODS[name] === undefined)).toEqual([]);
});

test('each row names an existing test that contains the event', () => {
  const missing = Object.entries(EVENTS).flatMap(([name, [, file]]) =>
    file === undefined || (existsSync(path.join(ROOT, file)) && read(file).includes(name))
      ? []
      : [`${name}: ${file}`],
  );
  expect(missing).toEqual([]);
  for (const type of FATAL_ERROR_TYPES) expect(read(ERRORS)).toContain(type);
});

test('docs/call-library.md says the same', async () => {
  const methods = Object.entries(METHODS).map(
    ([name, [inCall, inRoom]]) => `| \`${name}()\` | ${inCall} | ${inRoom} | ${NOTES[name] ?? ''} |`,
  );
  const events = Object.entries(EVENTS).map(
    ([name, [source, file]]) => `| \`${name}\` | ${source} | ${file === undefined ? '' : `\`${file}\``} |`,
  );
  const errors = FATAL_ERROR_TYPES.map((type) => `| \`${type}\` | \`${ERRORS}\` |`);
  await expect(`# The published call library, method by method

Written by \`tests/call-library-page.test.ts\` from \`tests/support/voice/call-library-table.ts\`, for version 0.66.0 of
\`@daily-co/daily-js\`, unmodified. \`${DRIVEN}\` calls every method in a call with the assistant and in a room with
several people and compares; \`load()\`, \`join()\`, \`leave()\` and \`destroy()\` begin and end each of these calls.

- *works*: the method does what the library promises.
- *answered by the library*: the library answers from its own state and asks no server.
- *refused*: the library sends its own error event, throws, or rejects. No method pretends to work.
- *not of this kind of call*: the method belongs to the library's prebuilt frame, and the library says so.

[voice-api.md](voice-api.md) explains rooms.

## Methods

| Method | With the assistant | In a room | |
|---|---|---|---|
${methods.join('\n')}

## Events

| Event | When | Test |
|---|---|---|
${events.join('\n')}

## Fatal errors

[voice-api.md](voice-api.md), Rooms, says when each of them comes.

| \`error.type\` | Test |
|---|---|
${errors.join('\n')}
`).toMatchFileSnapshot('../docs/call-library.md');
});
