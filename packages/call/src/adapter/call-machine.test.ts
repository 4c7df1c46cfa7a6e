import { expect, test } from 'vitest';
import type { CallTransport, Notice } from '../transport.ts';
import { webRtcTransport } from '../web-rtc/web-rtc-transport.ts';
import { takeOverInstances } from './call-machine.ts';

type Message = Record<string, unknown>;
type Page = Parameters<typeof takeOverInstances>[0];

/**
 * A page with one waiting instance of the published library; the messages that the adapter posts to it are
 * kept.
 */
function openPage(openTransport: (onNotice: (notice: Notice) => void) => CallTransport = webRtcTransport()) {
  const posted: Message[] = [];
  const listeners: ((event: object) => void)[] = [];
  const page = {
    location: { origin: 'https://agency.example' },
    addEventListener: (_name: string, listener: (event: object) => void) => listeners.push(listener),
    postMessage: ({
      what: _what,
      from: _from,
      callFrameId: _frame,
      callClientId: _client,
      ...message
    }: Message) => posted.push(message),
    _daily: { pendings: ['c1'], instances: { c1: {} } },
  };
  takeOverInstances(page as unknown as Page, openTransport);
  let stamp = 0;
  return {
    posted,
    /** Sends an action as the library does, and resolves with everything that the adapter posted. */
    async send(action: string, members: Message = {}, wantsReply = true): Promise<Message[]> {
      posted.length = 0;
      stamp += 1;
      const data = {
        ...members,
        action,
        ...(wantsReply ? { callbackStamp: stamp } : {}),
        what: 'iframe-call-message',
        from: 'module',
        callClientId: 'c1',
      };
      for (const listener of listeners) listener({ data, source: page });
      await expect.poll(() => posted.length, { interval: 1 }).toBeGreaterThan(0);
      return [...posted];
    },
  };
}

test.each([
  ['dialout-start', 'dialout-error'],
  ['send-dtmf', 'dialout-error'],
  ['local-recording-start', 'recording-error'],
  ['daily-method-update-recording', 'recording-error'],
  ['daily-method-start-live-streaming', 'live-streaming-error'],
  ['daily-method-start-transcription', 'transcription-error'],
  ['cycle-camera', 'camera-error'],
  ['local-screen-start', 'nonfatal-error screen-share-error'],
  ['set-session-data', 'nonfatal-error meeting-session-data-error'],
  ['start-custom-track', 'nonfatal-error input-settings-error'],
  ['update-send-settings', 'nonfatal-error action-error'],
  ['an-action-of-next-year', 'nonfatal-error action-error'],
])('%s ends in %s and in a refused reply, never in success', async (action, event) => {
  const { send } = openPage();
  const [told, reply] = await send(action);
  expect([told?.action, told?.type].filter((part) => part !== undefined && part !== 'cloud').join(' ')).toBe(
    event,
  );
  expect(reply).toMatchObject({ action: `${action}-reply`, error: expect.any(Error) });
  expect(await send(action, {}, false)).toEqual([told]);
});

test.each([
  ['local-video', { state: true }],
  ['set-input-devices', { videoDeviceId: 'camera' }],
  ['update-input-settings', { inputSettings: { video: { processor: { type: 'face-detection' } } } }],
  ['update-input-settings', { inputSettings: { video: { settings: { width: 320 } } } }],
  ['update-participant', { id: 'assistant', properties: { eject: true } }],
  ['update-participant', { id: 'assistant', properties: { setAudio: false } }],
  ['update-participants', { participants: { '*': { updatePermissions: { canSend: false } } } }],
  // Before joining there is nobody to subscribe to.
  ['update-participants', { participants: { assistant: { setSubscribedTracks: { audio: true } } } }],
])('the part of %s that is not built is refused: %j', async (action, members) => {
  const messages = await openPage().send(action, members);
  expect(messages.map((message) => message.error instanceof Error)).toContain(true);
});

test.each([
  ['local-video', { state: false }],
  ['local-audio', { state: false }],
  ['set-user-name', { name: 'Ann' }],
  ['set-user-data', { userData: { seat: 4 } }],
  ['get-input-devices', {}],
  ['update-participant', { id: 'local', properties: { setAudio: false } }],
  ['transmit-log', { level: 'log' }],
])('%s works: %j', async (action, members) => {
  const [reply, ...others] = await openPage().send(action, members);
  expect(reply).toMatchObject({ action: `${action}-reply` });
  expect(reply).not.toHaveProperty('error');
  expect(others).toEqual([]);
});

test('what is not named of the input settings stays, and is told with what is', async () => {
  const page = openPage();
  const none = { processor: { type: 'none' } };
  for (const [given, inputSettings] of [
    [{ audio: none }, { audio: none }],
    [{ video: none }, { audio: none, video: none }],
  ]) {
    await page.send('update-input-settings', { inputSettings: given });
    await expect
      .poll(() => page.posted.map(({ callbackStamp: _stamp, ...message }) => message))
      .toEqual([
        { action: 'update-input-settings-reply', inputSettings },
        { action: 'input-settings-updated', inputSettings },
      ]);
  }
});

test('a call that was never joined is left all the same', async () => {
  const messages = await openPage().send('leave-meeting', {}, false);
  expect(messages).toEqual([{ action: 'left-meeting' }]);
});

test('what fails without anybody waiting for a reply is an event', async () => {
  const messages = await openPage().send('app-msg', { data: 'hello' }, false);
  expect(messages).toMatchObject([{ action: 'nonfatal-error', errorMsg: 'The call is not connected.' }]);
});

test('the details of a fatal error are printed, as the library parses them', async () => {
  const error = { type: 'connection-error', msg: 'Lost.', details: { on: 'join' } };
  const page = openPage((onNotice) => ({
    load: async () => {},
    request: async () => {
      setTimeout(() => onNotice({ action: 'error', errorMsg: 'Lost.', error }));
      return {};
    },
    close: () => {},
  }));
  await page.send('join-meeting', { properties: {} });
  await expect
    .poll(() => page.posted.find(({ action }) => action === 'error'))
    .toMatchObject({
      error: { type: 'connection-error', details: '{"on":"join"}' },
    });
});
