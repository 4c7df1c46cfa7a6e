import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FATAL_ERROR_TYPES } from '../call-events.ts';
import { RoomClient } from './room-client.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const ENTRY = { sdp: 'v=0', token: undefined, userName: 'Ann', library: '0.66.0' };
const PERSON = { session_id: 's1', user_id: 'a1', user_name: 'Ann', owner: true };

/** A client whose server gives these replies, one after another, and the requests that it received. */
function clientOf(...replies: readonly (readonly [status: number, body: object])[]) {
  const asked: { url: string; body: unknown }[] = [];
  const client = new RoomClient('https://agency.example/voice/v1/room/1/proof', async (url, init) => {
    asked.push({ url: String(url), body: JSON.parse(String(init?.body ?? 'null')) });
    const [status, body] = replies[Math.min(asked.length, replies.length) - 1] ?? [500, {}];
    return Response.json(body, { status });
  });
  return { client, asked };
}

test.each(FATAL_ERROR_TYPES.map((type) => [type]))(
  'a refusal with the code %s is an error of that type',
  async (code) => {
    const { client } = clientOf([403, { code, message: 'No.' }]);
    await expect(client.enter(ENTRY)).rejects.toMatchObject({ type: code, message: 'No.' });
  },
);

test.each([
  [403, 'not-allowed'],
  [404, 'no-room'],
  [409, 'not-allowed'],
  [410, 'exp-room'],
  [429, 'meeting-full'],
  [500, 'connection-error'],
])('a refusal without such a code is judged by its status %i: %s', async (status, type) => {
  const { client } = clientOf([status, { code: 'concurrency_limit' }]);
  await expect(client.enter(ENTRY)).rejects.toMatchObject({
    type,
    message: `The room answered ${status}.`,
    details: type === 'connection-error' ? { on: 'join' } : undefined,
  });
});

test('a room that another process holds is asked for again, five times at most', async () => {
  const elsewhere = [503, { code: 'room_elsewhere', message: 'Elsewhere.' }] as const;
  const found = clientOf(elsewhere, elsewhere, [201, { sdp: 'answer', participant: PERSON }]);
  const entered = found.client.enter(ENTRY);
  await vi.runAllTimersAsync();
  expect(await entered).toEqual({ answer: 'answer', person: PERSON });
  const lost = clientOf(elsewhere);
  const refused = expect(lost.client.enter(ENTRY)).rejects.toMatchObject({ type: 'connection-error' });
  await vi.runAllTimersAsync();
  await refused;
  expect(lost.asked).toHaveLength(5);
});

test('who has entered leaves the call that was begun for them, not the room', async () => {
  const url = 'https://agency.example/voice/v1/room/2/other';
  const { client, asked } = clientOf([201, { sdp: 'answer', participant: PERSON, url }]);
  await client.enter({ ...ENTRY, token: 'token' });
  client.leave();
  expect(asked).toEqual([
    {
      url: 'https://agency.example/voice/v1/room/1/proof/offer',
      body: { type: 'offer', sdp: 'v=0', token: 'token', userName: 'Ann', library: '0.66.0' },
    },
    { url: `${url}/leave`, body: { reason: 'left' } },
  ]);
});
