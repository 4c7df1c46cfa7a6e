import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { showsSettings } from '../../../tests/support/claims.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { simpleEngines } from '../../../tests/support/voice/simple-engines.ts';
import {
  openTelephone,
  type Telephone,
  type TelephoneCall,
} from '../../../tests/support/voice/sip-telephone.ts';
import { type CallRecord, eventually, voiceApi } from '../../../tests/support/voice/voice-calls.ts';
import { tone, until } from '../../../tests/support/voice/voice-peer.ts';

let app: TestApp;
let telephone: Telephone;
beforeAll(async () => {
  telephone = await openTelephone();
  app = await startTestApp({ voiceEngines: simpleEngines(), settings: { SIP_LISTEN: 'udp://127.0.0.1:0' } });
});
afterAll(async () => {
  await telephone?.close();
  await app?.close();
});
beforeEach(() => {
  telephone.pickUp = 'answer';
});

const api = (method: string, at: string, body?: unknown) => voiceApi(app, method, at, body);
const whom = () => ({ sipUri: `sip:ann@127.0.0.1:${telephone.port}` });

/** A call that was answered, with its addresses. */
async function answered(monitorPlan?: object): Promise<{ call: CallRecord; own: TelephoneCall }> {
  const at = telephone.calls.length;
  const assistant = { firstMessage: 'Hello.', ...(monitorPlan === undefined ? {} : { monitorPlan }) };
  const { body } = await api('POST', '/call/phone', { assistant, customer: whom() });
  expect(body.warnings).toBeUndefined();
  const own = await eventually('somebody answers', () =>
    telephone.calls[at]?.seen.includes('established') === true ? telephone.calls[at] : undefined,
  );
  const call = await eventually('it goes on', async () => {
    const found = (await api('GET', `/call/${body.id}`)).body;
    return found.status === 'in-progress' ? found : undefined;
  });
  return { call, own };
}
const ended = (id: string): Promise<CallRecord> =>
  eventually('it is over', async () => {
    const { body } = await api('GET', `/call/${id}`);
    return body.status === 'ended' ? body : undefined;
  });
/** Controls a call with its address alone, without a key. */
async function control(call: CallRecord, message: object, headers = {}): Promise<[number, CallRecord]> {
  const reply = await fetch(call.monitor.controlUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(message),
  });
  return [reply.status, await reply.json()];
}
/** Why a socket is refused. */
const refusal = (url: string): Promise<string> =>
  new Promise((resolve) => {
    const socket = new WebSocket(url);
    socket.once('open', () => resolve('open'));
    socket.once('error', ({ message }) => resolve(message));
  });

test('whoever has the addresses of a call listens in on both sides, has it say something and ends it', async () => {
  const { call, own } = await answered();
  const socket = new WebSocket(call.monitor.listenUrl);
  onTestFinished(() => socket.terminate());
  const texts: CallRecord[] = [];
  let loud = [0, 0];
  socket.on('message', (data: Buffer, binary) => {
    if (!binary) return void texts.push(JSON.parse(String(data)));
    for (let at = 0; at + 3 < data.length; at += 4)
      loud = [Math.max(loud[0] ?? 0, data.readInt16LE(at)), Math.max(loud[1] ?? 0, data.readInt16LE(at + 2))];
  });
  await until('it is open', () => texts.length === 1);
  expect(texts[0]).toMatchObject({ type: 'start', encoding: 'linear16', sampleRate: 16_000, channels: 2 });
  own.leg.session.writePcm(tone(500, 0.5));
  await until('the caller is heard', () => (loud[0] ?? 0) > 1000);
  expect(await control(call, { type: 'say', content: 'A word from the office.' })).toEqual([
    200,
    { done: true },
  ]);
  await until('the assistant is heard', () => (loud[1] ?? 0) > 1000);
  expect((await control(call, { type: 'dance' }))[1].code).toBe('validation_failed');
  expect((await control(call, { type: 'end-call' }))[0]).toBe(200);
  const over = await ended(call.id);
  expect([over.endedReason, over.monitor]).toEqual(['manually-canceled', undefined]);
  await until('listening is over', () => socket.readyState === WebSocket.CLOSED);
  expect((await control(call, { type: 'end-call' }))[1].code).toBe('not_live');
});

test('a call is put through from outside, and goes on where nobody is there', async () => {
  const { call } = await answered();
  telephone.pickUp = 486;
  const destination = { type: 'sip', ...whom() };
  const [status, reply] = await control(call, { type: 'transfer', destination });
  expect([status, reply.code]).toEqual([409, 'not_transferred']);
  const foreign = { type: 'sip', sipUri: 'sip:x@example.com' };
  expect((await control(call, { type: 'transfer', destination: foreign }))[1].code).toBe(
    'destination_not_allowed',
  );
  telephone.pickUp = 'answer';
  expect((await control(call, { type: 'transfer', destination }))[0]).toBe(200);
  expect((await ended(call.id)).endedReason).toBe('assistant-forwarded-call');
  telephone.calls.at(-1)?.call.hangUp();
});

test('who is put through from outside hears what is said meanwhile, and what cannot be done is named', async () => {
  const { call } = await answered();
  telephone.pickUp = 486;
  const content = 'I put you through now.';
  const destination = { type: 'sip', ...whom() };
  expect((await control(call, { type: 'transfer', destination, content }))[0]).toBe(409);
  const goodbye = { type: 'say', content: 'Nobody is there, goodbye.', endCallAfterSpoken: true };
  expect((await control(call, goodbye))[0]).toBe(200);
  expect((await ended(call.id)).transcript).toContain(`${content} ${goodbye.content}`);
  telephone.pickUp = 'answer';
  // The refusal names the fault.
  const { call: next } = await answered();
  for (const [body, message] of [
    [{ type: 'mute' }, 'type: must be one of say, add-message, control, transfer and end-call'],
    [{ type: 'say' }, 'content: is needed'],
    [
      { type: 'transfer', destination: { type: 'number', number: '12' } },
      'destination.number: must be a number',
    ],
  ] as const)
    expect((await control(next, body))[1].message).toContain(message);
  await api('DELETE', `/call/${next.id}`);
});

test('an assistant may be closed to listening and control, or open with the private key only', async () => {
  showsSettings(
    'assistant',
    'monitorPlan.listenEnabled',
    'monitorPlan.listenAuthenticationEnabled',
    'monitorPlan.controlEnabled',
    'monitorPlan.controlAuthenticationEnabled',
  );
  const { call: closed, own } = await answered({
    listenEnabled: false,
    controlAuthenticationEnabled: true,
  });
  expect(await refusal(closed.monitor.listenUrl)).toContain('403');
  expect((await control(closed, { type: 'end-call' }))[0]).toBe(401);
  const foreign = closed.monitor.controlUrl.replace(/[^/]+\/control$/, `${'A'.repeat(32)}/control`);
  const guessed = await control({ monitor: { controlUrl: foreign } }, { type: 'end-call' });
  expect(guessed[1].code).toBe('not_live');
  expect(await refusal(closed.monitor.listenUrl.replace(/[^/]+\/listen$/, 'guessed/listen'))).toContain(
    '404',
  );
  const key = { authorization: `Bearer ${app.resources.keys.voice_private_key}` };
  expect((await control(closed, { type: 'end-call' }, key))[0]).toBe(200);
  await until('it is hung up', () => own.seen.includes('ended remote'));

  const { call: other } = await answered({ controlEnabled: false, listenAuthenticationEnabled: true });
  expect((await control(other, { type: 'end-call' }))[1].code).toBe('monitor_off');
  expect(await refusal(other.monitor.listenUrl)).toContain('401');
  const socket = new WebSocket(other.monitor.listenUrl, { headers: key });
  onTestFinished(() => socket.terminate());
  await until('with the key it is open', () => socket.readyState === WebSocket.OPEN);
  await api('DELETE', `/call/${other.id}`);
});
