import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { SPOKEN, simpleEngines } from '../../../../tests/support/voice/simple-engines.ts';
import { openTelephone, type Telephone } from '../../../../tests/support/voice/sip-telephone.ts';
import { type CallRecord, eventually, voiceApi } from '../../../../tests/support/voice/voice-calls.ts';
import { tone, until } from '../../../../tests/support/voice/voice-peer.ts';
import { uncheckedSql } from '../../../kernel/resources/database/fixed-sql.ts';
import type { VoiceEngines } from '../../engines/engines.server.ts';
import { closedNow } from './number-hours.server.ts';

const said: string[] = [];
const simple = simpleEngines();
/** A tone of 500 Hz is recognised as this sentence. */
const STOP = 'please do not call me again';
const engines: VoiceEngines = {
  ...simple,
  prices: {
    sttPerMinute: 0,
    ttsPer1000Characters: 1,
    llmPer1000PromptTokens: 0,
    llmPer1000CompletionTokens: 0,
  },
  async openVoice(call) {
    const voice = await simple.openVoice(call);
    return {
      ...voice,
      speak(sentence, signal) {
        said.push(sentence);
        return voice.speak(sentence, signal);
      },
    };
  },
  async openRecogniser(call) {
    const recogniser = await simple.openRecogniser(call);
    return {
      ...recogniser,
      async endUtterance() {
        const { text, confidence } = await recogniser.endUtterance();
        return { text: text === SPOKEN[500] ? STOP : text, confidence };
      },
    };
  },
};

let app: TestApp;
let telephone: Telephone;
beforeAll(async () => {
  telephone = await openTelephone();
  app = await startTestApp({ voiceEngines: engines, settings: { SIP_LISTEN: 'udp://127.0.0.1:0' } });
});
afterAll(async () => {
  await telephone?.close();
  await app?.close();
});

const api = (method: string, at: string, body?: unknown) => voiceApi(app, method, at, body);
const assistant = { firstMessage: 'Hello there.' };
const whom = () => ({ sipUri: `sip:+12025550123@127.0.0.1:${telephone.port}` });
const ended = (find: () => Promise<CallRecord>): Promise<CallRecord> =>
  eventually('the call has ended', async () => {
    const found = await find();
    return found?.status === 'ended' ? found : undefined;
  });

test('hours are those of the number’s own place, and of a week', () => {
  const hours = { open: 'mon-fri 9:00-17:00, sat 10:00-12:00', timeZone: 'America/New_York' };
  const closed = (at: string, given: object = hours) => closedNow(given, new Date(at), 'UTC');
  // It is a Monday, and 14:00 UTC is 9:00 there.
  expect(closed('2026-11-23T13:59:00Z')?.message).toBe(
    'We are closed at the moment. Please call again Monday to Friday from 9:00 to 17:00 and Saturday from 10:00 to 12:00.',
  );
  expect(closed('2026-11-23T14:00:00Z')).toBeUndefined();
  expect(closed('2026-11-23T22:00:00Z')?.message).toBeDefined();
  expect(closed('2026-11-22T15:00:00Z')).toBeDefined();
  expect(closed('2026-11-23T13:59:00Z', { open: hours.open })).toBeUndefined();
  expect(closedNow(undefined, new Date(), 'UTC')).toBeUndefined();
});

test('a call outside of a number’s hours hears when it is open, or goes where the number says', async () => {
  const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
  const open = `${days[(new Date().getUTCDay() + 3) % 7]} 9:00-9:01`;
  const buy = async (outside?: object, more: object = {}) =>
    (
      await api('POST', '/phone-number/buy', {
        areaCode: '202',
        hours: { open, timeZone: 'UTC', ...(outside === undefined ? {} : { outside }) },
        ...more,
      })
    ).body;
  const spoken = await buy({ message: 'Nobody is in.' });
  const { seen, heard } = await telephone.dial(spoken.sipUri);
  await until('it is told and hung up', () => seen.includes('ended remote'));
  expect([said.at(-1), heard.some((pcm) => pcm.some((one) => one > 1000))]).toEqual(['Nobody is in.', true]);
  const record = await ended(async () => (await api('GET', `/call?phoneNumberId=${spoken.id}`)).body[0]);
  // No assistant took the call, but its voice has to be paid for.
  const characters = 'Nobody is in.'.length;
  expect(record).toMatchObject({
    endedReason: 'assistant-ended-call-after-message-spoken',
    cost: characters / 1000,
    costBreakdown: { ttsCharacters: characters },
  });

  const put = await buy(undefined, { fallbackDestination: { type: 'sip', ...whom() } });
  const at = telephone.invites.length;
  const { call, seen: forwarded } = await telephone.dial(put.sipUri);
  await until('it is put through', () => forwarded.includes('established'));
  expect(telephone.invites).toHaveLength(at + 1);
  call.hangUp();
  await ended(async () => (await api('GET', `/call?phoneNumberId=${put.id}`)).body[0]);

  const wrong = await api('PATCH', `/phone-number/${put.id}`, { hours: { open: 'mon 17:00-9:00' } });
  expect([wrong.status, wrong.body.message]).toEqual([
    400,
    expect.stringContaining('must open before it closes'),
  ]);
  const both = { open, outside: { message: 'x', assistantId: crypto.randomUUID() } };
  expect((await api('PATCH', `/phone-number/${put.id}`, { hours: both })).status).toBe(400);
  const unknown = { open, outside: { assistantId: crypto.randomUUID() } };
  expect((await api('PATCH', `/phone-number/${put.id}`, { hours: unknown })).body.code).toBe(
    'unknown_reference',
  );
  expect((await api('PATCH', `/phone-number/${put.id}`, { hours: null })).body).not.toHaveProperty('hours');
});

test('who asks on the telephone not to be called is on the list when the call is over, and is not called again', async () => {
  const at = telephone.calls.length;
  const made = await api('POST', '/call/phone', { assistant, customer: whom() });
  await until('somebody answers', () => telephone.calls[at]?.seen.includes('established') === true);
  const { leg, seen } = telephone.calls[at] ?? expect.fail('nobody was called');
  await until('it is greeted', () => said.includes('Hello there.'));
  leg.session.writePcm(tone(500, 0.8));
  const over = await ended(async () => (await api('GET', `/call/${made.body.id}`)).body);
  expect([over.endedReason, over.transcript]).toEqual([
    'assistant-ended-call',
    expect.stringContaining('AI: All right, nobody calls this number from here any more.'),
  ]);
  await until('it is hung up', () => seen.includes('ended remote'));
  expect((await api('GET', '/do-not-call/12')).body.code).toBe('validation_failed');
  const listed = await api('GET', '/do-not-call/+12025550123');
  expect(listed.body).toMatchObject({ ending: '23', source: 'call', callId: made.body.id });

  const again = await api('POST', '/call/phone', { assistant, customer: whom() });
  expect([again.status, again.body.code]).toEqual([403, 'do_not_call']);
  const schedulePlan = { earliestAt: '2100-01-01T00:00:00Z' };
  const several = await api('POST', '/call', { assistant, customers: [whom()], schedulePlan });
  expect(several.body.errors[0].error).toContain('asked not to be called');

  expect((await api('DELETE', '/do-not-call/+12025550123')).status).toBe(204);
  expect((await api('DELETE', '/do-not-call/+12025550123')).status).toBe(404);
  const later = await api('POST', '/call/phone', { assistant, customer: whom(), schedulePlan });
  expect(later.status).toBe(201);
  // The number was put on the list meanwhile: a call that is waiting is not made.
  await api('POST', '/do-not-call', whom());
  expect((await api('GET', '/do-not-call')).body).toMatchObject([{ ending: '23', source: 'operator' }]);
  const calls = telephone.calls.length;
  const due = { earliestAt: '2020-01-01T00:00:00Z' };
  await app.resources.database.run(
    uncheckedSql(
      `update private.voice_records set body = jsonb_set(body, '{schedulePlan}', $2::jsonb) where id = $1`,
      'composed',
    ),
    [later.body.id, JSON.stringify(due)],
  );
  await ended(async () => (await api('GET', `/call/${later.body.id}`)).body);
  expect(telephone.calls).toHaveLength(calls);
});
