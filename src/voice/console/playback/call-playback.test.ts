import { afterAll, beforeAll, expect, test } from 'vitest';
import { claims } from '../../../../tests/support/claims.ts';
import {
  askConsole,
  newOperator,
  type TestAccount,
} from '../../../../tests/support/customers/operator-client.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { HAS_FFMPEG } from '../../../../tests/support/voice/recordings/ffmpeg.ts';
import {
  ELSEWHERE,
  leaveRecording,
  openOtherStore,
} from '../../../../tests/support/voice/recordings/left-recording.ts';
import {
  askedCall,
  endCall,
  said,
  typeIn,
} from '../../../../tests/support/voice/recordings/recorded-call.ts';
import { simpleEngines } from '../../../../tests/support/voice/simple-engines.ts';
import { PICTURE, until } from '../../../../tests/support/voice/voice-peer.ts';
import type { CallDetail, RecordingAddresses } from '../call-list.contract.ts';

let app: TestApp;
let operator: TestAccount;
beforeAll(async () => {
  app = await startTestApp({ voiceEngines: simpleEngines(), settings: { VOICE_FFMPEG: 'off' } });
  operator = await newOperator(app);
});
afterAll(() => app.close());

const ASSISTANT = { firstMessage: 'Hello.', artifactPlan: { videoRecordingEnabled: true } };

const detailOf = (id: string): Promise<CallDetail> => askConsole(`call?id=${id}`, operator);
const play = (id: string): Promise<RecordingAddresses> => askConsole('call-recording', operator, { id });
const pictureOf = async (id: string) => (await detailOf(id)).recording?.picture;
/** The answer of an address to a request for its first bytes. */
async function beginning(address: string | null): Promise<unknown[]> {
  const reply = await fetch(`${app.url}${address}`, { headers: { range: 'bytes=4-11' } });
  return [reply.status, reply.headers.get('content-type'), await reply.text()];
}

test('who watches a call without ffmpeg gets sound and picture, in ranges; kept long enough both are gone, and that is said', async () => {
  const call = await askedCall(app, ASSISTANT, true);
  typeIn(call, 'yes');
  await until('it is recorded', () => said(call).includes('recorded from now on'));
  call.peer.show(PICTURE);
  await endCall(call);
  await expect.poll(() => pictureOf(call.id)).toBe('separate');
  expect((await detailOf(call.id)).unrecorded).toBeNull();
  const { url, video, picture_url: picture } = await play(call.id);
  expect(video).toBe(false);
  expect(await beginning(url)).toEqual([206, 'audio/wav', expect.stringMatching(/WAVE$/)]);
  expect((await beginning(picture)).slice(0, 2)).toEqual([206, 'video/webm']);

  await app.resources.database.run(
    "update private.voice_recordings set expires_at = now() - interval '1 s' where call_id = $1",
    [call.id],
  );
  expect(await openOtherStore(app, 'off').expire()).toBe(1);
  const { recording, unrecorded, messages } = await detailOf(call.id);
  expect([recording, unrecorded]).toEqual([null, { why: 'expired', at: expect.any(String) }]);
  expect(messages.length).toBeGreaterThan(0);
  await expect(play(call.id)).rejects.toMatchObject({ status: 404, code: 'no_recording' });
  for (const address of [url, picture]) expect((await beginning(address))[0]).toBeGreaterThanOrEqual(400);
});

test('while picture and sound wait to be put together there is the sound; what is lost of a picture is missed', async () => {
  claims('There is no picture: no camera was offered, or what it showed was lost.');
  const id = await leaveRecording(app, ELSEWHERE, ASSISTANT);
  const ending = openOtherStore(app, 'off');
  await ending.close();
  await ending.finish(id);
  expect(await pictureOf(id)).toBe('recorded');
  expect(await play(id)).toEqual({ url: expect.stringContaining('.wav'), video: false, picture_url: null });
  await app.resources.database.run('update private.voice_recordings set video = null where call_id = $1', [
    id,
  ]);
  expect(await pictureOf(id)).toBe('missing');
  const sound = await leaveRecording(app, ELSEWHERE, { artifactPlan: { recordingEnabled: true } });
  await app.resources.database.run('update private.voice_recordings set video = null where call_id = $1', [
    sound,
  ]);
  await openOtherStore(app, 'off').finish(sound);
  expect((await detailOf(sound)).recording).toMatchObject({ picture: null, seconds: 2 });
});

test.skipIf(!HAS_FFMPEG)(
  'what was put together is played as one video, in ranges (skipped without ffmpeg)',
  async () => {
    // From another machine: this app has no ffmpeg, and would take over a recording of its own machine.
    const id = await leaveRecording(app, ELSEWHERE, ASSISTANT);
    await openOtherStore(app, 'ffmpeg').finish(id);
    await expect.poll(() => pictureOf(id)).toBe('composed');
    const { url, video, picture_url: picture } = await play(id);
    expect([video, picture]).toEqual([true, null]);
    expect(await beginning(url)).toEqual([206, 'video/mp4', expect.stringContaining('ftyp')]);
  },
);

test('attack 44: a call without a yes, and one whose yes was taken back, say why there is nothing to play', async () => {
  claims(
    'Nothing was recorded: the caller did not agree.',
    'The caller withdrew consent, and the recording was deleted.',
    'The caller agreed, but no recording is there.',
    'The log of the call may say why.',
  );
  const refused = await askedCall(app, ASSISTANT, true);
  typeIn(refused, 'no');
  await until('the no was heard', () => said(refused).includes('not recorded'));
  await endCall(refused);
  expect(await detailOf(refused.id)).toMatchObject({
    ...{ recording: null, unrecorded: { why: 'not-agreed', at: null } },
  });

  const withdrawn = await askedCall(app, ASSISTANT, true);
  typeIn(withdrawn, 'yes');
  await until('it is recorded', () => said(withdrawn).includes('recorded from now on'));
  expect((await detailOf(withdrawn.id)).unrecorded).toBeNull();
  typeIn(withdrawn, 'please stop recording');
  await until('it was stopped', () => said(withdrawn).includes('is deleted'));
  await endCall(withdrawn);
  expect((await detailOf(withdrawn.id)).unrecorded).toEqual({ why: 'withdrawn', at: expect.any(String) });

  const lost = await askedCall(app, ASSISTANT, true);
  typeIn(lost, 'yes');
  await until('it is recorded', () => said(lost).includes('recorded from now on'));
  await endCall(lost);
  expect((await detailOf(lost.id)).recording).not.toBeNull();
  await app.resources.database.run(
    "delete from storage.objects where bucket_id = 'voice-recordings' and starts_with(name, $1)",
    [lost.id],
  );
  expect(await detailOf(lost.id)).toMatchObject({ recording: null, unrecorded: { why: 'lost', at: null } });
});

test('what the store refused for good is no longer waited for, and that is said', async () => {
  claims(
    'Picture and sound in one are more than is stored, so there is the sound alone.',
    'The recording was refused for good when it was to be stored.',
    'Its files are still on the server.',
  );
  const refuse = (id: string) =>
    app.resources.database.run(
      "update private.voice_recordings set refused = 'entity_too_large' where call_id = $1",
      [id],
    );
  const video = await leaveRecording(app, ELSEWHERE, ASSISTANT);
  const ending = openOtherStore(app, 'off');
  await ending.close();
  await ending.finish(video);
  await refuse(video);
  expect(await pictureOf(video)).toBe('refused');
  expect((await play(video)).video).toBe(false);

  const call = await askedCall(app, ASSISTANT, true);
  typeIn(call, 'yes');
  await until('it is recorded', () => said(call).includes('recorded from now on'));
  await endCall(call);
  await app.resources.database.run(
    'update private.voice_recordings set object_id = null, seconds = null, bytes = null where call_id = $1',
    [call.id],
  );
  await refuse(call.id);
  expect(await detailOf(call.id)).toMatchObject({
    recording: null,
    unrecorded: { why: 'refused', at: null },
  });
});
