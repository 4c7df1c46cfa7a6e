import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { showsSettings } from '../../../../tests/support/claims.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { simpleEngines } from '../../../../tests/support/voice/simple-engines.ts';
import {
  openTelephone,
  type Telephone,
  type TelephoneCall,
} from '../../../../tests/support/voice/sip-telephone.ts';
import { type CallRecord, eventually, voiceApi } from '../../../../tests/support/voice/voice-calls.ts';
import { tone, until } from '../../../../tests/support/voice/voice-peer.ts';
import type { CallMeter } from '../../engines/call-meter.server.ts';
import type { CallContext, VoiceEngines } from '../../engines/engines.server.ts';

let context: CallContext | undefined;
const said: string[] = [];
/** The meters of a call's voices, in the order in which the voices were opened. */
const meters: (CallMeter | undefined)[] = [];
const simple = simpleEngines();
const engines: VoiceEngines = {
  ...simple,
  prices: {
    sttPerMinute: 0,
    ttsPer1000Characters: 1,
    llmPer1000PromptTokens: 0,
    llmPer1000CompletionTokens: 0,
  },
  async openVoice(call) {
    meters.push(call.meter);
    const voice = await simple.openVoice(call);
    return {
      ...voice,
      speak(sentence, signal) {
        said.push(sentence);
        return voice.speak(sentence, signal);
      },
    };
  },
  async openDialogue(call) {
    context = call;
    return simple.openDialogue(call);
  },
};

let app: TestApp;
/** The telephones of the caller, of the person to be reached, and of a third person. */
let caller: Telephone;
let person: Telephone;
beforeAll(async () => {
  [caller, person] = [await openTelephone(), await openTelephone()];
  app = await startTestApp({
    voiceEngines: engines,
    settings: { SIP_LISTEN: 'udp://127.0.0.1:0', VOICE_MAX_CALLS: '6' },
  });
});
afterAll(async () => {
  await caller?.close();
  await person?.close();
  await app?.close();
});

const api = (method: string, at: string, body?: unknown, on = app) => voiceApi(on, method, at, body);
const there = () => ({ type: 'sip' as const, sipUri: `sip:bob@127.0.0.1:${person.port}` });

/** A call to a bought number that has been answered. */
async function answered(on = app): Promise<{ id: string; own: TelephoneCall }> {
  const { body: number } = await api('POST', '/phone-number/buy', { areaCode: '202' }, on);
  const own = await caller.dial(number.sipUri);
  await until('it is answered', () => own.seen.includes('established'));
  const { id } = await eventually(
    'its record is there',
    async () => (await api('GET', `/call?phoneNumberId=${number.id}`, undefined, on)).body[0],
  );
  return { id, own };
}
const ended = (id: string, on = app): Promise<CallRecord> =>
  eventually('the call has ended', async () => {
    const { body } = await api('GET', `/call/${id}`, undefined, on);
    return body.status === 'ended' ? body : undefined;
  });
/** Waits until the record says that the call is in progress, which is written with a delay. */
const goesOn = (id: string, on = app): Promise<CallRecord> =>
  eventually('the call goes on', async () => {
    const { body } = await api('GET', `/call/${id}`, undefined, on);
    return body.status === 'in-progress' ? body : undefined;
  });
const callOfPerson = async (at: number): Promise<TelephoneCall> => {
  await until('the person is called', () => person.calls[at]?.seen.includes('established') === true);
  return person.calls[at] as TelephoneCall;
};

test('a warm transfer by REFER: the person hears the message, and the other exchange takes our place', async () => {
  showsSettings('tool', 'destinations[].transferPlan.sipVerb', 'destinations[].transferPlan.message');
  const { id, own } = await answered();
  const at = person.calls.length;
  await context?.line?.transfer(
    {
      ...there(),
      transferPlan: {
        mode: 'warm-transfer-say-message',
        sipVerb: 'refer',
        message: { type: 'custom-message', content: 'Somebody for you.' },
      },
    },
    'A summary.',
  );
  expect(said.at(-1)).toBe('Somebody for you.');
  const theirs = await callOfPerson(at);
  await until('the other exchange has taken the place', () => theirs.seen.length === 3);
  expect(theirs.seen).toEqual(['established', 'replaced', 'established']);
  expect((await ended(id)).endedReason).toBe('assistant-forwarded-call');
  await until('our call with the caller is over', () => own.seen.includes('ended remote'));
  // The two exchanges have a call of their own, which this server does not see.
  const between = caller.calls.at(-1);
  theirs.call.hangUp();
  between?.call.hangUp();
});

test('a warm transfer waits until the person has spoken, then says the summary', async () => {
  const { id, own } = await answered();
  const at = person.calls.length;
  const mode = 'warm-transfer-wait-for-operator-to-speak-first-and-then-say-summary';
  const before = said.length;
  const transferred = context?.line?.transfer({ ...there(), transferPlan: { mode } }, 'A question of price.');
  const theirs = await callOfPerson(at);
  expect(said.slice(before)).not.toContain('A question of price.');
  theirs.leg.session.writePcm(tone(500, 0.5));
  await transferred;
  expect(said.slice(before)).toContain('A question of price.');
  expect((await ended(id)).endedReason).toBe('assistant-forwarded-call');
  own.call.hangUp();
  await until('both are over', () => theirs.seen.includes('ended remote'));
});

test('what a person is told before a transfer is counted as the other words of the call are', async () => {
  const [before, opened] = [said.length, meters.length];
  const { id, own } = await answered();
  await until('it is greeted', () => said.length > before);
  const at = person.calls.length;
  const mode = 'warm-transfer-say-summary';
  await context?.line?.transfer({ ...there(), transferPlan: { mode } }, 'A question of price.');
  await callOfPerson(at);
  const words = said.slice(before);
  expect(words.at(-1)).toBe('A question of price.');
  const letters = words.join('').length;
  expect(await ended(id)).toMatchObject({
    cost: letters / 1000,
    costBreakdown: { tts: letters / 1000, ttsCharacters: letters },
  });
  // A provider charges the meter that its engine was opened with: both voices were opened with the call's.
  const [greeting, told] = meters.slice(opened);
  expect(told).toBeDefined();
  expect(told).toBe(greeting);
  own.call.hangUp();
});

test('attack 57: who is put through has a line, and both keep theirs until they hang up, each giving it back once', async () => {
  const small = await startTestApp({
    voiceEngines: engines,
    settings: { SIP_LISTEN: 'udp://127.0.0.1:0', VOICE_MAX_CALLS: '2' },
  });
  onTestFinished(() => small.close());
  const another = async (): Promise<number> => {
    const assistantId = small.resources.keys.voice_assistant_id;
    return (await api('POST', '/call/web', { assistantId }, small)).status;
  };
  const first = await answered(small);
  person.pickUp = 486;
  await expect(context?.line?.transfer(there(), '')).rejects.toThrow('Nobody answers there');
  person.pickUp = 'answer';
  // Nobody answered: the capacity is free again, and a second call uses it.
  const firstLine = context?.line;
  const second = await answered(small);
  const before = person.calls.length;
  await expect(firstLine?.transfer(there(), '')).rejects.toMatchObject({ code: 'concurrency_limit' });
  await goesOn(first.id, small);
  expect(person.calls).toHaveLength(before);
  second.own.call.hangUp();
  await expect.poll(another).toBe(201);
  await putThrough(first, firstLine);
  // If one of them had released more than it took, a third call would be possible now.
  await putThrough(await answered(small), context?.line);

  async function putThrough({ id, own }: { id: string; own: TelephoneCall }, line = context?.line) {
    const at = person.calls.length;
    await line?.transfer(there(), '');
    const theirs = await callOfPerson(at);
    expect((await ended(id, small)).endedReason).toBe('assistant-forwarded-call');
    expect(await another()).toBe(429);
    own.call.hangUp();
    await until('both are over', () => theirs.seen.includes('ended remote'));
    await expect.poll(another).toBe(201);
  }
});

test('a caller puts the assistant through to somebody else, who goes on talking with it', async () => {
  const { id, own } = await answered();
  const at = person.calls.length;
  expect(await own.call.refer(there().sipUri)).toBe(200);
  const theirs = await callOfPerson(at);
  await until('the first one has left', () => own.seen.includes('ended remote'));
  await goesOn(id);
  // Nobody answers there: the assistant stays with its caller.
  caller.pickUp = 486;
  expect(await theirs.call.refer(`sip:ann@127.0.0.1:${caller.port}`)).toBe(486);
  caller.pickUp = 'answer';
  expect(await theirs.call.refer('sip:x@example.com')).toBe(403);
  expect(await theirs.call.refer('tel:+449012345678')).toBe(400);
  expect(await theirs.call.refer(`${there().sipUri}?Route=%3Csip:evil%3E`)).toBe(400);
  const smuggled = encodeURIComponent('a;to-tag=1;from-tag=2\r\nRoute: <sip:evil>');
  expect(await theirs.call.refer(`${there().sipUri}?Replaces=${smuggled}`)).toBe(400);
  expect(await theirs.call.refer(`${there().sipUri};method=BYE`)).toBe(400);
  theirs.call.hangUp();
  expect((await ended(id)).endedReason).toBe('customer-ended-call');
});

test('another telephone takes a caller’s place with what only the two know, and nobody without it', async () => {
  const { id, own } = await answered();
  const replacing = own.call.replacingAddress();
  const [address = '', replaces = ''] = replacing.split('?Replaces=');
  const port = Number(/:(\d+)/.exec(address.split('@')[1] ?? '')?.[1]);
  const take = (text: string) => person.dial(`sip:any@127.0.0.1:${port}`, undefined, { replaces: text });
  const wrong = await take(decodeURIComponent(replaces).replace(/from-tag=.*/, 'from-tag=guessed'));
  await until('a guess is refused', () => wrong.seen.includes('failed 481'));
  const right = await take(decodeURIComponent(replaces));
  await until('it took the place', () => right.seen.includes('established'));
  await until('the first one has left', () => own.seen.includes('ended remote'));
  await until('it hears the assistant', () => right.heard.length > 0);
  await goesOn(id);
  right.call.hangUp();
  expect((await ended(id)).endedReason).toBe('customer-ended-call');
  const late = await take(decodeURIComponent(replaces));
  await until('what is over is not taken', () => late.seen.includes('failed 481'));
});

test('modes that are not offered are refused by name', async () => {
  const tool = (transferPlan: object) =>
    api('POST', '/tool', { type: 'transferCall', destinations: [{ ...there(), transferPlan }] });
  const { status, body } = await tool({ mode: 'warm-transfer-twiml' });
  expect([status, body.message]).toEqual([
    400,
    expect.stringContaining('is not offered: a transfer is blind, or warm with a message or a summary'),
  ]);
  expect((await tool({ sipVerb: 'bye' })).status).toBe(400);
  expect((await tool({ mode: 'warm-transfer-say-message', message: 'Hello.' })).body).not.toHaveProperty(
    'warnings',
  );
});
