import { expect, onTestFinished, test } from 'vitest';
import { liveKitCaller } from '../../../tests/support/livekit/livekit-caller.ts';
import { openLiveKit } from '../../../tests/support/livekit/livekit-counterpart.ts';
import { startTestApp } from '../../../tests/support/test-app.ts';
import { evidenceKinds } from '../../../tests/support/voice/recordings/recorded-call.ts';
import { simpleEngines } from '../../../tests/support/voice/simple-engines.ts';
import { eventually, voiceApi } from '../../../tests/support/voice/voice-calls.ts';
import { tone, until } from '../../../tests/support/voice/voice-peer.ts';
import { PAGES } from '../../kernel/contract/routes.ts';
import { pageHeaders } from '../../kernel/http/site/page-headers.ts';

test('pages may connect to LiveKit if it is set, and to nobody else', () => {
  const policyOf = (address: string): string | undefined =>
    /connect-src[^;]*/.exec(
      pageHeaders('https://site.example', PAGES.home, address)['content-security-policy'] ?? '',
    )?.[0];
  expect(policyOf('')).toBe("connect-src 'self' wss://site.example");
  expect(policyOf('wss://livekit.example/')).toBe(
    "connect-src 'self' wss://site.example wss://livekit.example https://livekit.example",
  );
});

const KEY = 'northline';
const SECRET = 'a secret of more than thirty-two characters';

test('a call through LiveKit is answered, recorded with consent, limited, and ends with its report and its room', async () => {
  const livekit = await openLiveKit(KEY, SECRET);
  const app = await startTestApp({
    voiceEngines: simpleEngines(),
    settings: {
      LIVEKIT_URL: livekit.url,
      LIVEKIT_API_KEY: KEY,
      LIVEKIT_API_SECRET: SECRET,
      VOICE_MAX_CALLS: '1',
    },
  });
  onTestFinished(async () => {
    await app.close();
    await livekit.close();
  });
  const assistant = {
    firstMessage: 'Hello.',
    artifactPlan: { recordingEnabled: true, videoRecordingEnabled: true },
  };
  const created = await voiceApi(app, 'POST', '/call/web', { assistant });
  const { id, webCallUrl } = created.body;
  // Its recording was to include the camera: LiveKit's end here takes sound alone, so nobody is asked for a picture.
  const { livekit: through, camera, status } = (await voiceApi(app, 'GET', webCallUrl)).body;
  expect({ through, camera, status }).toEqual({ through: true, camera: undefined, status: 'queued' });
  const refused = await voiceApi(app, 'POST', `${webCallUrl}/offer`, { sdp: 'v=0\r\n', type: 'offer' });
  expect([refused.status, refused.body.code]).toEqual([400, 'bad_offer']);

  const joined = await voiceApi(app, 'POST', `${webCallUrl}/offer`, { sdp: '', type: 'offer' });
  expect([joined.status, joined.body.sdp]).toEqual([201, undefined]);
  const again = await voiceApi(app, 'POST', `${webCallUrl}/offer`, { sdp: '' });
  expect([again.status, again.body.code]).toEqual([409, 'already_joined']);
  expect((await voiceApi(app, 'POST', '/call/web', { assistant })).body.code).toBe('concurrency_limit');

  const caller = await liveKitCaller(joined.body.livekit);
  onTestFinished(() => caller.leave());
  const said = (words: string) => (): boolean =>
    caller.texts.some((text) => text.includes('conversation-update') && text.includes(words));
  await caller.send('room', '{"action":"ready"}');
  await caller.send('app', 'playable');
  await until('consent is asked for', said('May I record this call? Please say yes or no.'));
  await caller.send(
    'app',
    JSON.stringify({ type: 'add-message', message: { role: 'user', content: 'yes' } }),
  );
  await until('it is recorded', said('recorded from now on'));
  await caller.speak(new Int16Array(16_000));
  await caller.speak(tone(980, 0.8));
  await caller.speak(new Int16Array(16_000));
  const over = await eventually('the call is over', async () => {
    const { body } = await voiceApi(app, 'GET', `/call/${id}`);
    return body.status === 'ended' ? body : undefined;
  });
  expect(over.endedReason).toBe('assistant-ended-call');
  expect(over.transcript).toContain('thank you goodbye');
  expect(await evidenceKinds(app, id)).toContainEqual(['consent', { to: 'recording', given: true }]);
  const sound = await fetch(over.stereoRecordingUrl);
  expect([sound.status, (await sound.arrayBuffer()).byteLength > 44_000]).toEqual([200, true]);
  await until('the caller is out', () => caller.isOut());
  expect(livekit.rooms()).toEqual([]);
});
