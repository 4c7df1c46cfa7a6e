import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { parseSipUri } from '../../../../packages/sip/src/message/sip-uri.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { simpleEngines } from '../../../../tests/support/voice/simple-engines.ts';
import {
  openTelephone,
  type Telephone,
  type TelephoneCall,
} from '../../../../tests/support/voice/sip-telephone.ts';
import { eventually, voiceApi } from '../../../../tests/support/voice/voice-calls.ts';
import { tone, until } from '../../../../tests/support/voice/voice-peer.ts';
import { callerOf, openCallerLedger } from './incoming-call-limits.server.ts';

const said: string[] = [];
let app: TestApp;
let telephone: Telephone;
beforeAll(async () => {
  telephone = await openTelephone();
  app = await startTestApp({
    voiceEngines: {
      ...simpleEngines(),
      openVoice: async () => ({
        name: 'short',
        async *speak(sentence) {
          said.push(sentence);
          yield tone(300, 0.1);
        },
        close: () => {},
      }),
    },
    settings: {
      ...{ SIP_LISTEN: 'udp://127.0.0.1:0', RATE_LIMITS: 'on' },
      ...{ SIP_CALLS_FROM_ONE: '1', SIP_HOURLY_CALLS_FROM_ONE: '2' },
    },
  });
});
afterAll(async () => {
  await telephone?.close();
  await app?.close();
});

const called = (text: string): string => callerOf({ uri: parseSipUri(text) });

test('a caller is a number however it is written, and all who withhold theirs are one', () => {
  const one = '+442079460000';
  for (const text of [
    'sip:+442079460000@trunk.example',
    'sip:00442079460000@other.example;user=phone',
    'sip:+44-20-7946-0000;phone-context=x@trunk.example',
    'tel:+442079460000',
    'sip:%2B442079460000@trunk.example:5070',
  ])
    expect(called(text), text).toBe(one);
  expect(called('sip:Ann@Home.example')).toBe('ann@home.example');
  for (const text of [
    'sip:anonymous@anonymous.invalid',
    'sip:Anonymous@trunk.example',
    'sip:trunk.example',
    'sip:unavailable@trunk.example',
    'sip:ann@anonymous.invalid',
    'not an address',
  ])
    expect(called(text), text).toBe('withheld');
});

test('attack 58: calls of one number are counted in all processes together, and end with the process that had them', async () => {
  const caps = { SIP_CALLS_FROM_ONE: 2, SIP_HOURLY_CALLS_FROM_ONE: 4 };
  const resources = { ...app.resources, settings: { ...app.resources.settings, ...caps } };
  const [one, other] = [openCallerLedger(resources), openCallerLedger(resources)];
  const entered = await Promise.all([one, other, one, other].map((ledger) => ledger.enter('+1')));
  expect(entered.map(({ kind }) => kind).sort()).toEqual(['busy', 'busy', 'taken', 'taken']);
  expect((await one.enter('+2')).kind).toBe('taken');

  // A process that sends no sign of life for half a minute has gone; one that does keeps its calls.
  const { database } = app.resources;
  await database.run("update private.voice_callers set seen_at = now() - interval '31 seconds'");
  await one.renew();
  await other.renew();
  expect((await one.enter('+1')).kind).toBe('busy');
  await database.run("update private.voice_callers set seen_at = now() - interval '31 seconds'");
  const third = await one.enter('+1');
  await one.leave(third.kind === 'taken' ? third.id : expect.fail('it was not taken'));
  expect((await other.enter('+1')).kind).toBe('taken');

  await database.run('update private.voice_callers set ended_at = now()');
  const kinds = [];
  for (let n = 0; n < 3; n += 1) kinds.push((await other.enter('+1')).kind);
  expect(kinds).toEqual(['told', 'declined', 'declined']);
  await database.run("update private.voice_callers set at = now() - interval '61 minutes'");
  expect((await other.enter('+1')).kind).toBe('taken');
  const off = openCallerLedger({
    ...resources,
    settings: { ...resources.settings, RATE_LIMITS: false },
  });
  for (let n = 0; n < 6; n += 1) expect((await off.enter('+1')).kind).toBe('taken');

  await database.run("update private.voice_callers set at = now() - interval '3 hours', ended_at = now()");
  await one.sweep();
  expect(await database.many('select id from private.voice_callers')).toEqual([]);
});

test('attack 58: a number that calls too much is busy, hears a sentence once, and is declined; a withheld one for all', async () => {
  const made = await voiceApi(app, 'POST', '/assistant', { firstMessage: 'Hello there.' });
  const { body } = await voiceApi(app, 'POST', '/phone-number/buy', {
    ...{ areaCode: '202', assistantId: made.body.id },
  });
  const dial = async (from: string, word: string): Promise<TelephoneCall> => {
    const call = await telephone.dial(body.sipUri, from);
    await until(word, () => call.seen.includes(word));
    return call;
  };
  const over = async ({ call }: TelephoneCall): Promise<void> => {
    call.hangUp();
    await eventually('the call is counted as over', async () => {
      const open = await app.resources.database.many(
        'select id from private.voice_callers where ended_at is null and not told',
      );
      return open.length === 0 ? true : undefined;
    });
  };
  for (const from of ['sip:+12025550177@127.0.0.1', 'sip:anonymous@anonymous.invalid']) {
    said.length = 0;
    const first = await dial(from, 'established');
    await dial(from, 'failed 486');
    await over(first);
    await over(await dial(from, 'established'));
    await dial(from, 'ended remote');
    expect(said.at(-1)).toContain('There were too many calls from this number within an hour.');
    const told = said.length;
    await dial(from, 'failed 603');
    expect(said).toHaveLength(told);
  }
  // It is written after the caller was hung up.
  await expect
    .poll(async () => (await voiceApi(app, 'GET', `/call?phoneNumberId=${body.id}`)).body[0]?.endedReason)
    .toBe('assistant-ended-call-after-message-spoken');
  // Another number is not affected.
  const other = await dial('sip:+12025550188@127.0.0.1', 'established');
  onTestFinished(() => other.call.hangUp());
});
