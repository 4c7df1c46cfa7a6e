import { decodeJwt, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { meetingTokenSchema } from './meeting-room.contract.ts';
import { createMeetingTokens } from './meeting-token.server.ts';

const NOW = Math.floor(Date.now() / 1000);
const ROOM = '0b9cf4b6-3c0d-4c7f-9b5e-1d0f3f1c2a77';
const keys = { master_secret: Buffer.alloc(32, 1).toString('base64url') };
const tokens = createMeetingTokens(keys);
const properties = (more: object = {}) =>
  meetingTokenSchema.parse({ properties: { room_name: 'desk', ...more } }).properties;

test('what is issued is read again, with the claims that the field knows', async () => {
  const given = properties({
    ...{ nbf: NOW - 10, exp: NOW + 10, is_owner: true, user_name: 'Ann', user_id: 'a1' },
    ...{ eject_at_token_exp: true, eject_after_elapsed: 60 },
  });
  const token = await tokens.issue(given, ROOM);
  expect(await tokens.read(token, NOW)).toEqual({ ...given, roomId: ROOM });
  expect(decodeJwt(token)).toMatchObject({
    r: 'desk',
    rid: ROOM,
    o: true,
    u: 'Ann',
    ud: 'a1',
    ejt: true,
    eje: 60,
  });
});

test('a token is good from its nbf until its exp', async () => {
  const token = await tokens.issue(properties({ nbf: NOW + 10, exp: NOW + 20 }), ROOM);
  await expect(tokens.read(token, NOW + 9)).rejects.toMatchObject({ status: 403, code: 'nbf-token' });
  expect(await tokens.read(token, NOW + 10)).toMatchObject({ room_name: 'desk' });
  await expect(tokens.read(token, NOW + 20)).rejects.toMatchObject({ status: 403, code: 'exp-token' });
});

test('attack 60: tokens that were not issued here are refused, whatever they say', async () => {
  const other = createMeetingTokens({ master_secret: Buffer.alloc(32, 2).toString('base64url') });
  const [head = '', body = '', mark = ''] = (await tokens.issue(properties(), ROOM)).split('.');
  const owner = Buffer.from(JSON.stringify({ r: 'desk', o: true })).toString('base64url');
  const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url');
  const forged = [
    'garbage',
    await other.issue(properties(), ROOM),
    `${head}.${owner}.${mark}`,
    `${none}.${owner}.`,
    `${head}.${body}.`,
    await new SignJWT({ r: 'desk', o: true })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(Buffer.from(keys.master_secret, 'base64url')),
  ];
  for (const token of forged)
    await expect(tokens.read(token, NOW), token).rejects.toMatchObject({ status: 403, code: 'not-allowed' });
});
