import { expect, test } from 'vitest';
import { meetingRoomSchema, meetingTokenSchema } from './meeting-room.contract.ts';
import { admit } from './room-admission.server.ts';

const NOW = 1_800_000_000;
const roomOf = (properties: object = {}, more: object = {}) => ({
  ...meetingRoomSchema.parse({ assistantId: crypto.randomUUID(), properties, ...more }),
  name: 'desk',
});
const tokenOf = (more: object = {}) =>
  meetingTokenSchema.parse({ properties: { room_name: 'desk', ...more } }).properties;
const codeOf = (attempt: () => unknown): string => {
  try {
    attempt();
    return 'let in';
  } catch (error) {
    return (error as { code: string }).code;
  }
};

test.each([
  ['nbf-room', roomOf({ nbf: NOW + 1 }), undefined],
  ['let in', roomOf({ nbf: NOW }), undefined],
  ['exp-room', roomOf({ exp: NOW }), undefined],
  ['let in', roomOf({ exp: NOW + 1 }), undefined],
  ['not-allowed', roomOf({}, { privacy: 'private' }), undefined],
  ['let in', roomOf({}, { privacy: 'private' }), tokenOf()],
  ['nbf-room', roomOf({ nbf: NOW + 1 }), tokenOf({ is_owner: true })],
])('%s: a room with %j for who brings %j', (code, room, token) => {
  expect(codeOf(() => admit(room, {}, token, NOW))).toBe(code);
});

test.each([
  ['0.65.9', 'end-of-life'],
  ['0.9.100', 'end-of-life'],
  ['0.66.0', 'let in'],
  ['0.66.0-beta.1', 'let in'],
  ['0.87.0', 'let in'],
  ['1.0.0', 'let in'],
  ['our own', 'let in'],
  [undefined, 'let in'],
])('version %s of the call library: %s', (library, code) => {
  expect(codeOf(() => admit(roomOf(), { library }, undefined, NOW))).toBe(code);
});

test('a token says who somebody is, whatever the page says', () => {
  expect(admit(roomOf(), { userName: 'Mallory' }, tokenOf({ user_name: 'Ann', user_id: 'a1' }), NOW)).toEqual(
    {
      userName: 'Ann',
      waits: false,
      userId: 'a1',
      owner: false,
      until: undefined,
    },
  );
  expect(admit(roomOf(), { userName: 'Bob' }, undefined, NOW)).toMatchObject({
    userName: 'Bob',
    owner: false,
  });
  expect(admit(roomOf(), {}, tokenOf({ is_owner: true }), NOW)).toMatchObject({ owner: true, userName: '' });
});

test.each([
  [{ exp: NOW + 60, eject_at_room_exp: true }, {}, { second: NOW + 60, type: 'exp-room' }],
  [{ exp: NOW + 60 }, {}, undefined],
  [
    { eject_after_elapsed: 30, exp: NOW + 60, eject_at_room_exp: true },
    {},
    { second: NOW + 30, type: 'ejected' },
  ],
  [{}, { exp: NOW + 5, eject_at_token_exp: true }, { second: NOW + 5, type: 'exp-token' }],
  [{}, { exp: NOW + 5 }, undefined],
  [
    { exp: NOW + 60, eject_at_room_exp: true },
    { eject_after_elapsed: 90 },
    { second: NOW + 90, type: 'ejected' },
  ],
])('who enters a room with %j and a token with %j leaves at %j', (properties, granted, until) => {
  expect(admit(roomOf(properties), {}, tokenOf(granted), NOW).until).toEqual(until);
});
