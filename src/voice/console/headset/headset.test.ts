import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { joined } from '../../../../packages/telephone-audio/src/sounds.fixture.ts';
import {
  askConsole,
  newAccount,
  newOperator,
  type TestAccount,
} from '../../../../tests/support/customers/operator-client.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import {
  hasTone,
  headsetAddress,
  type OperatorHeadset,
  openHeadset,
} from '../../../../tests/support/voice/operator-headset.ts';
import { ASSISTANT_HERTZ, simpleEngines } from '../../../../tests/support/voice/simple-engines.ts';
import { openTelephone, type Telephone } from '../../../../tests/support/voice/sip-telephone.ts';
import {
  eventually,
  greetedCall,
  type TestCall,
  voiceApi,
} from '../../../../tests/support/voice/voice-calls.ts';
import { tone, until } from '../../../../tests/support/voice/voice-peer.ts';
import { manageOperators } from '../../../cli/operators-command.ts';
import type { LiveCalls } from '../call-list.contract.ts';

/** The tone at the operator's microphone, which the recognisers here do not understand. */
const OPERATOR_HERTZ = 440;
const NOBODY = '00000000-0000-4000-8000-000000000000';

let app: TestApp;
let telephone: Telephone;
let operator: TestAccount;
beforeAll(async () => {
  telephone = await openTelephone();
  app = await startTestApp({
    voiceEngines: simpleEngines({
      followsInstructions: true,
      async *reply({ text }, history) {
        const told = history.findLast(({ text: line }) => line.includes('instructs you'));
        yield { kind: 'sentence', text: told === undefined ? `You said ${text}.` : 'As I was told.' };
      },
    }),
    settings: { SIP_LISTEN: 'udp://127.0.0.1:0' },
  });
  operator = await newOperator(app);
});
afterAll(async () => {
  await telephone?.close();
  await app?.close();
});

const direct = (body: object, account: Pick<TestAccount, 'client'> = operator): Promise<unknown> =>
  askConsole('direct-call', account, body);
async function wear(callId: string, account = operator): Promise<OperatorHeadset> {
  const headset = await openHeadset(app.url, account, callId);
  onTestFinished(() => headset.close());
  return headset;
}
async function begin(): Promise<TestCall> {
  const call = await greetedCall(app, { assistant: { name: 'Desk', firstMessage: 'Hello.' } });
  onTestFinished(() => call.peer.close());
  return call;
}
const says = (call: TestCall, role: string, words: string) => () =>
  call
    .messages('transcript')
    .some((line) => line.role === role && line.transcriptType === 'final' && line.transcript.includes(words));
/** The caller speaks again and again until `done`. */
async function speaksUntil(call: TestCall, hertz: number, what: string, done: () => boolean): Promise<void> {
  let over = false;
  const speaking = (async () => {
    while (!over) await call.peer.speak(joined([tone(hertz, 0.8), new Int16Array(19_200)]));
  })();
  try {
    await until(what, done);
  } finally {
    over = true;
    await speaking;
  }
}
const heldBy = async (id: string): Promise<string | null | undefined> =>
  (await askConsole<LiveCalls>('live-calls', operator)).calls.find((call) => call.id === id)?.taken_by;

test('an operator listens in, has the assistant speak, instructs it, takes a call over and gives it back', async () => {
  const call = await begin();
  const headset = await wear(call.id);
  await speaksUntil(call, 500, 'the caller is heard at the desk', () => hasTone(headset.caller, 500));
  await until('it was answered', says(call, 'assistant', 'You said what does the audit cost'));
  await until('the assistant is heard at the desk', () => hasTone(headset.assistant, ASSISTANT_HERTZ));
  await direct({ act: 'say', id: call.id, text: 'We open at nine.' });
  await until('it is said', says(call, 'assistant', 'We open at nine.'));
  await direct({ act: 'whisper', id: call.id, text: 'Offer them the lamp.' });
  call.peer.send(JSON.stringify({ type: 'add-message', message: { role: 'user', content: 'what then' } }));
  await until('it heeds the whisper', says(call, 'assistant', 'As I was told.'));

  await direct({ act: 'take-over', id: call.id, headset: headset.id });
  const answers = call.messages('model-output').length;
  await eventually('others see who has it', async () =>
    (await heldBy(call.id)) === operator.email ? true : undefined,
  );
  const second = await newOperator(app);
  const late = await wear(call.id, second);
  await expect(direct({ act: 'take-over', id: call.id, headset: late.id }, second)).rejects.toMatchObject({
    status: 409,
    code: 'taken_over',
    error: expect.stringContaining(operator.email),
  });
  await expect(direct({ act: 'say', id: call.id, text: 'Hello.' })).rejects.toMatchObject({
    code: 'taken_over',
  });
  await expect(direct({ act: 'give-back', id: call.id, headset: late.id }, second)).rejects.toMatchObject({
    code: 'not_taken',
  });
  late.close();
  headset.speak(tone(OPERATOR_HERTZ, 1));
  await until('the caller hears the operator', () => hasTone(call.peer.heard, OPERATOR_HERTZ));
  headset.speak(undefined);
  await speaksUntil(call, 620, 'the operator hears the caller', () => hasTone(headset.caller, 620));
  await until('the caller is understood', says(call, 'user', 'please take my enquiry'));
  headset.speak(joined([tone(500, 0.8), new Int16Array(16_000 * 3)]));
  const update = (): string => JSON.stringify(call.messages('conversation-update').at(-1));
  await until('the operator is understood', () =>
    update().includes('A colleague said to the caller: what does the audit cost'),
  );
  headset.speak(undefined);
  expect(call.messages('model-output')).toHaveLength(answers);
  await direct({ act: 'give-back', id: call.id, headset: headset.id });
  await until('the assistant goes on', says(call, 'assistant', 'AI assistant again'));
  await until('and the desk is told', () => headset.told.some(({ type }) => type === 'given-back'));
  await eventually('nobody has it', async () => ((await heldBy(call.id)) === null ? true : undefined));

  await askConsole('end-call', operator, { id: call.id });
  const record = await call.over();
  expect(record.endedReason).toBe('manually-canceled');
  await until('listening is over', () => headset.closed() === 1000);
  expect(record.transcript).toMatch(
    /User: please take my enquiry\n[\s\S]*Colleague: what does the audit cost\n/,
  );
  const kinds = record.messages.map(({ kind }: { kind?: string }) => kind);
  expect(kinds.filter((kind?: string) => kind === 'notice')).toHaveLength(2);
  // The caller's own client never sees what only the assistant was told.
  expect(JSON.stringify(record.messages)).toContain('Offer them the lamp');
  expect(JSON.stringify(call.peer.messages)).not.toContain('lamp');
  expect(JSON.stringify((await voiceApi(app, 'GET', `${call.url}/record`)).body)).not.toContain('lamp');
  expect((await voiceApi(app, 'GET', `/evidence?callId=${call.id}`)).body.faults).toEqual([]);
  const acts = await app.resources.database.many(
    'select action from private.operator_audit where subject = $1 and actor is not null order by id',
    [call.id],
  );
  expect(acts.map(({ action }) => action)).toEqual([
    ...['call.listen_in', 'call.say', 'call.whisper', 'call.take_over', 'call.listen_in', 'call.take_over'],
    ...['call.say', 'call.give_back', 'call.give_back', 'call.end'],
  ]);
});

test('on the telephone too; when the operator’s line breaks the assistant goes on and says so', async () => {
  const { body } = await voiceApi(app, 'POST', '/call/phone', {
    assistant: { firstMessage: 'Hello.' },
    customer: { sipUri: `sip:ann@127.0.0.1:${telephone.port}` },
  });
  const own = await eventually('somebody answers', () =>
    telephone.calls.find(({ seen }) => seen.includes('established')),
  );
  const record = async () => (await voiceApi(app, 'GET', `/call/${body.id}`)).body;
  await eventually('it goes on', async () => ((await record()).status === 'in-progress' ? true : undefined));
  const headset = await wear(body.id);
  // The assistant may still be about to begin; a call can be taken over once it has begun.
  await eventually('it is taken over', () =>
    direct({ act: 'take-over', id: body.id, headset: headset.id }).then(
      () => true as const,
      ({ code }) => {
        expect(code).toBe('not_talking');
        return undefined;
      },
    ),
  );
  headset.speak(tone(OPERATOR_HERTZ, 1));
  await until('the caller hears the operator', () => hasTone(own.heard, OPERATOR_HERTZ));
  own.leg.session.writePcm(tone(700, 1));
  await until('the operator hears the caller', () => hasTone(headset.caller, 700));
  const { controlUrl } = (await record()).monitor;
  const destination = { type: 'sip', sipUri: `sip:bob@127.0.0.1:${telephone.port}` };
  expect((await voiceApi(app, 'POST', controlUrl, { type: 'transfer', destination })).body.code).toBe(
    'taken_over',
  );
  headset.socket.terminate();
  const from = own.heard.length;
  await until('the assistant speaks again', () => hasTone(own.heard.slice(from), ASSISTANT_HERTZ));
  own.call.hangUp();
  const over = await eventually('it is over', async () => {
    const found = await record();
    return found.status === 'ended' ? found : undefined;
  });
  expect(over.endedReason).toBe('customer-ended-call');
  expect(JSON.stringify(over.messages)).toContain('The line of the colleague has broken off');
});

test('a visitor who writes hears nothing: a takeover is refused with what to do instead, and the assistant goes on', async () => {
  const origin = 'https://shop.example';
  const { body: shop } = await voiceApi(app, 'POST', '/assistant', {
    ...{ name: 'Shop', firstMessage: 'Good day.', website: { origins: [origin] } },
  });
  const made = await fetch(`${app.url}/voice/v1/website/${shop.id}/call`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ written: true }),
  });
  const { webCallUrl } = (await made.json()) as { webCallUrl: string };
  const visitor = new WebSocket(`${webCallUrl.replace('http', 'ws')}/words`);
  onTestFinished(() => visitor.terminate());
  const read: string[] = [];
  visitor.on('message', (data) => void read.push(String(data)));
  const reads = (words: string) => until(words, () => read.some((line) => line.includes(words)));
  await reads('Good day.');
  const id = new URL(webCallUrl).pathname.split('/').at(-2) ?? '';
  const headset = await wear(id);
  await expect(direct({ act: 'take-over', id, headset: headset.id })).rejects.toMatchObject({
    status: 409,
    code: 'written',
    error: expect.stringContaining('Have the assistant say the sentence.'),
  });
  expect(await heldBy(id)).toBeNull();
  await direct({ act: 'say', id, text: 'We open at nine.' });
  await reads('We open at nine.');
  const content = 'is this the shop';
  visitor.send(JSON.stringify({ type: 'add-message', message: { role: 'user', content } }));
  await reads('You said is this the shop.');
});

test('nobody but operators hears or directs a call, and a pass opens one socket of its own call', async () => {
  const call = await begin();
  const other = await begin();
  const user = await newAccount(app);
  const anonymous = { client: createClient(app.url, app.anonKey) };
  for (const account of [user, anonymous]) {
    await expect(askConsole('call-headset', account, { id: call.id })).rejects.toMatchObject({ status: 403 });
    await expect(direct({ act: 'say', id: call.id, text: 'Hello.' }, account)).rejects.toMatchObject({
      status: 403,
    });
    await expect(direct({ act: 'take-over', id: call.id, headset: NOBODY }, account)).rejects.toMatchObject({
      status: 403,
    });
  }
  await expect(askConsole('call-headset', operator, { id: NOBODY })).rejects.toMatchObject({
    code: 'not_live',
  });
  await expect(direct({ act: 'dance', id: call.id })).rejects.toMatchObject({ status: 400 });
  await expect(direct({ act: 'say', id: call.id, text: '  ' })).rejects.toMatchObject({ status: 400 });
  await expect(direct({ act: 'take-over', id: call.id, headset: NOBODY })).rejects.toMatchObject({
    code: 'no_headset',
  });

  const refusal = (path: string): Promise<string> =>
    new Promise((resolve) => {
      const socket = new WebSocket(headsetAddress(app.url, path));
      socket.once('open', () => {
        socket.terminate();
        resolve('open');
      });
      socket.once('error', ({ message }) => resolve(message));
    });
  const { path } = await askConsole<{ path: string }>('call-headset', operator, { id: call.id });
  expect(await refusal(path.replace(call.id, other.id))).toContain('404');
  expect(await refusal(path.replace(/[^/]+\/listen$/, `${'A'.repeat(32)}/listen`))).toContain('404');
  expect(await refusal(path)).toBe('open');
  expect(await refusal(path)).toContain('404');

  // Nobody can use another operator's headset, or their own in another call.
  const headset = await wear(call.id);
  const second = await newOperator(app);
  for (const [id, account] of [[call.id, second] as const, [other.id, operator] as const])
    await expect(direct({ act: 'take-over', id, headset: headset.id }, account)).rejects.toMatchObject({
      code: 'no_headset',
    });
  headset.close();
});

test('who is no operator any more, or signed out, hears nothing more, and the assistant goes on', async () => {
  const call = await begin();
  const removed = await newOperator(app);
  const signedOut = await newOperator(app);
  const first = await wear(call.id, removed);
  const second = await wear(call.id, signedOut);
  const stays = await wear(call.id);
  await direct({ act: 'take-over', id: call.id, headset: first.id }, removed);
  await manageOperators(app.resources.database, ['remove', removed.email]);
  await signedOut.client.auth.signOut({ scope: 'global' });
  await until('both are cut off', () => first.closed() === 1008 && second.closed() === 1008);
  await until('the assistant goes on', says(call, 'assistant', 'broken off'));
  expect(stays.closed()).toBeUndefined();
});
