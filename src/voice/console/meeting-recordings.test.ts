import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  askConsole,
  newAccount,
  newOperator,
  type TestAccount,
} from '../../../tests/support/customers/operator-client.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import {
  ELSEWHERE,
  GONE,
  leaveMeeting,
  openOtherStore,
} from '../../../tests/support/voice/recordings/left-recording.ts';
import { simpleEngines } from '../../../tests/support/voice/simple-engines.ts';
import type { MeetingAddresses, MeetingDetail, MeetingsPage } from './meeting-recordings.contract.ts';

let app: TestApp;
let operator: TestAccount;
beforeAll(async () => {
  app = await startTestApp({ voiceEngines: simpleEngines(), settings: { VOICE_FFMPEG: 'off' } });
  operator = await newOperator(app);
});
afterAll(() => app.close());

const list = (query = ''): Promise<MeetingsPage> => askConsole(`meeting-recordings${query}`, operator);
const detailOf = (id: string): Promise<MeetingDetail> => askConsole(`meeting-recording?id=${id}`, operator);
const play = (id: string): Promise<MeetingAddresses> =>
  askConsole('play-meeting-recording', operator, { id });
const remove = (id: string) => askConsole('delete-meeting-recording', operator, { id });

test('an operator sees which meetings were recorded, who was heard, plays one and deletes it; all is audited', async () => {
  const goesOn = await leaveMeeting(app, ELSEWHERE);
  const id = await leaveMeeting(app, GONE);
  expect((await list()).rows).toMatchObject([
    { id, room_name: 'left', goes_on: true, people: 2 },
    { id: goesOn, goes_on: true, seconds: null },
  ]);
  await openOtherStore(app, 'off').recover();
  await expect.poll(async () => (await detailOf(id)).pictures).toBe('separate');
  expect(await detailOf(id)).toMatchObject({
    ...{ goes_on: false, seconds: 2, faults: [], expires_at: expect.any(String) },
    heard: [
      { name: 'Person 1', from: 0, to: null },
      { name: 'Person 2', from: 1, to: null },
    ],
  });
  expect((await list('?q=person 2')).rows.map((row) => row.id)).toContain(id);
  expect((await list('?q=nobody')).rows).toEqual([]);
  expect((await list(`?after=${id}`)).rows.map((row) => row.id)).toEqual([goesOn]);
  const { url, video, pictures } = await play(id);
  const part = await fetch(`${app.url}${url}`, { headers: { range: 'bytes=0-3' } });
  expect([part.status, await part.text(), video]).toEqual([206, 'RIFF', false]);
  expect(pictures.map(({ participant }) => participant)).toEqual(['Person 1', 'Person 2']);
  expect((await fetch(`${app.url}${pictures[1]?.url}`)).headers.get('content-type')).toBe('video/webm');

  await expect(play(goesOn)).rejects.toMatchObject({ code: 'no_recording' });
  await expect(remove(goesOn)).rejects.toMatchObject({ code: 'recording_goes_on' });
  expect(await remove(id)).toEqual({ done: true });
  await expect(remove(id)).rejects.toMatchObject({ code: 'not_found' });
  await expect(detailOf(id)).rejects.toMatchObject({ code: 'not_found' });
  expect((await fetch(`${app.url}${url}`)).status).toBeGreaterThanOrEqual(400);
  const acts = await app.resources.database.many(
    'select action from private.operator_audit where subject = $1 and actor is not null order by id',
    [id],
  );
  expect(acts.map(({ action }) => action)).toEqual(['call.listen', 'recording.delete', 'recording.delete']);
});

test('attack 44: who is no operator sees, plays and deletes no recorded meeting', async () => {
  const id = await leaveMeeting(app, ELSEWHERE);
  const { client } = await newAccount(app);
  for (const [name, body] of [
    ['meeting-recordings', undefined],
    [`meeting-recording?id=${id}`, undefined],
    ['play-meeting-recording', { id }],
    ['delete-meeting-recording', { id }],
  ] as const)
    await expect(askConsole(name, { client }, body)).rejects.toMatchObject({ code: 'not_operator' });
  const { data } = await client.schema('operator').from('meeting_recordings').select();
  expect(data ?? []).toEqual([]);
});
