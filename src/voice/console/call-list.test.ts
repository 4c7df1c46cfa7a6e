import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  askConsole,
  newAccount,
  newOperator,
  type TestAccount,
} from '../../../tests/support/customers/operator-client.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { simpleEngines } from '../../../tests/support/voice/simple-engines.ts';
import { greetedCall, type TestCall, voiceApi } from '../../../tests/support/voice/voice-calls.ts';
import { tone, until } from '../../../tests/support/voice/voice-peer.ts';
import type { CallDetail, CallFigures, CallsPage, LiveCalls, LiveLine } from './call-list.contract.ts';

let app: TestApp;
let operator: TestAccount;
beforeAll(async () => {
  app = await startTestApp({ voiceEngines: simpleEngines() });
  operator = await newOperator(app);
});
afterAll(() => app.close());

const NOBODY = '00000000-0000-4000-8000-000000000000';

const ask = <T>(
  name: string,
  { body, account = operator }: { body?: object; account?: Pick<TestAccount, 'client'> } = {},
): Promise<T> => askConsole<T>(name, account, body);

async function begin(assistant: object = {}): Promise<TestCall> {
  const call = await greetedCall(app, { assistant: { name: 'Desk', firstMessage: 'Hello.', ...assistant } });
  onTestFinished(() => call.peer.close());
  return call;
}
const type = (call: TestCall, content: string): void =>
  call.peer.send(JSON.stringify({ type: 'add-message', message: { role: 'user', content } }));
const audited = async (subject: string): Promise<(string | undefined)[]> =>
  (
    await app.resources.database.many(
      'select action from private.operator_audit where subject = $1 and actor is not null order by id',
      [subject],
    )
  ).map(({ action }) => action);

/** Stores a past call in the form of its record. */
async function stored(id: string, day: string, more: object = {}): Promise<void> {
  await app.resources.database.run(
    `insert into private.voice_records (id, kind, body, created_at) values ($1, 'call', $2, $3)`,
    [
      id,
      JSON.stringify({
        type: 'inboundPhoneCall',
        status: 'ended',
        endedReason: 'customer-ended-call',
        cost: 0.02,
        startedAt: `${day}T10:00:00.000Z`,
        endedAt: `${day}T10:02:00.000Z`,
        ...more,
      }),
      `${day}T10:00:00Z`,
    ],
  );
}

test('nobody but operators sees calls or does anything to them', async () => {
  const user = await newAccount(app);
  const anonymous = { client: createClient(app.url, app.anonKey) };
  for (const account of [user, anonymous]) {
    for (const name of ['calls', `call?id=${NOBODY}`, 'live-calls', 'call-figures'])
      await expect(ask(name, { account }), name).rejects.toMatchObject({ status: 403 });
    for (const name of ['end-call', 'delete-call', 'call-recording'])
      await expect(ask(name, { account, body: { id: NOBODY } }), name).rejects.toMatchObject({ status: 403 });
  }
  await expect(ask(`call?id=${NOBODY}`)).rejects.toMatchObject({ status: 404 });
  await expect(ask('end-call', { body: { id: NOBODY } })).rejects.toMatchObject({ code: 'not_live' });
  await expect(ask('delete-call', { body: { id: NOBODY } })).rejects.toMatchObject({ status: 404 });
  await expect(ask('call-recording', { body: { id: NOBODY } })).rejects.toMatchObject({
    code: 'no_recording',
  });
});

test('a call is watched word by word, hung up, read, listened to and deleted with its sound', async () => {
  const heard: LiveLine[] = [];
  const user = await newAccount(app);
  const overheard: object[] = [];
  for (const [account, lines] of [[operator, heard] as const, [user, overheard] as const]) {
    await new Promise<void>((resolve) => {
      account.client
        .channel('live')
        .on(
          'postgres_changes',
          { event: '*', schema: 'northline_app', table: 'live_call_words' },
          ({ new: line }) => lines.push(line as never),
        )
        .subscribe((status) => status === 'SUBSCRIBED' && resolve());
    });
    onTestFinished(async () => void (await account.client.removeAllChannels()));
  }
  const call = await begin({ artifactPlan: { recordingEnabled: true } });
  type(call, 'yes');
  await until('the yes is read along', () => heard.some(({ text }) => text === 'yes'));
  await until('its answer too', () => heard.some(({ text }) => text.includes('recorded from now on')));
  expect(heard.every(({ call_id }) => call_id === call.id)).toBe(true);
  expect((await user.client.schema('northline_app').from('live_call_words').select()).data).toEqual([]);
  expect((await user.client.schema('northline_app').from('live_calls').select()).data).toEqual([]);

  const { calls } = await ask<LiveCalls>('live-calls');
  expect(calls).toMatchObject([{ id: call.id, status: 'in-progress', assistant_name: 'Desk' }]);
  expect(calls[0]?.lines.map(({ text }) => text)).toContain('yes');
  await expect(ask('delete-call', { body: { id: call.id } })).rejects.toMatchObject({ code: 'call_goes_on' });
  await call.peer.speak(tone(1500, 0.3));
  expect(await ask('end-call', { body: { id: call.id } })).toEqual({ ended: true });
  expect((await call.over()).endedReason).toBe('manually-canceled');
  expect((await ask<LiveCalls>('live-calls')).calls).toEqual([]);
  expect(await app.resources.database.many('select from northline_app.live_call_words')).toEqual([]);
  expect(overheard).toEqual([]);

  const detail = await ask<CallDetail>(`call?id=${call.id}`);
  expect(detail.call).toMatchObject({ status: 'ended', recorded: true, ended_reason: 'manually-canceled' });
  expect(detail.messages.map(({ message }) => message)).toContain('yes');
  expect(detail.messages.find(({ message }) => message === 'yes')?.typed).toBe(true);
  expect(detail.evidence.entries.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['begun', 'ended']));
  expect(detail.evidence.faults).toEqual([]);
  expect(detail.recording?.seconds).toBeGreaterThan(0);
  expect(JSON.stringify(detail)).not.toContain('/room/');

  const { url } = await ask<{ url: string }>('call-recording', { body: { id: call.id } });
  const part = await fetch(`${app.url}${url}`, { headers: { range: 'bytes=0-3' } });
  expect([part.status, await part.text()]).toEqual([206, 'RIFF']);
  expect(await ask('delete-call', { body: { id: call.id } })).toEqual({ done: true });
  expect((await fetch(`${app.url}${url}`)).status).toBeGreaterThanOrEqual(400);
  expect((await voiceApi(app, 'GET', `/call/${call.id}`)).status).toBe(404);
  expect((await voiceApi(app, 'GET', `/evidence?callId=${call.id}`)).body.faults).toEqual([]);
  expect(await audited(call.id)).toEqual(['call.delete', 'call.end', 'call.listen', 'call.delete']);
});

test('under HIPAA nobody reads along, an assistant of rules takes no whisper, and the process that carries a call ends it for another one', async () => {
  const call = await begin({ hipaaEnabled: true });
  type(call, 'my back hurts');
  await until('it was answered', () =>
    JSON.stringify(call.messages('conversation-update')).includes('hurts'),
  );
  expect((await ask<LiveCalls>('live-calls')).calls).toMatchObject([{ id: call.id, lines: [] }]);
  await expect(
    ask('direct-call', { body: { act: 'whisper', id: call.id, text: 'Be brief.' } }),
  ).rejects.toMatchObject({ code: 'no_model', error: expect.stringContaining('answers by rules') });
  await app.resources.database.run(
    'update private.voice_live_calls set end_asked_at = now() where call_id = $1',
    [call.id],
  );
  expect((await call.over()).endedReason).toBe('manually-canceled');
});

test('calls are found by words, number, reason, assistant and day, page by page', async () => {
  const ids = Array.from({ length: 60 }, (_, n) => `00000000-0000-4000-8000-0000000001${n + 10}`);
  for (const [n, id] of ids.entries())
    await stored(id, n < 55 ? '2024-03-01' : '2024-03-02', {
      customer: { number: `+44123456${n + 1000}` },
      transcript: n === 3 ? 'User: a blue bicycle, 50 %\n' : '',
      ...(n === 4 ? { endedReason: 'silence-timed-out' } : {}),
      ...(n === 5 ? { assistantId: app.resources.keys.voice_assistant_id } : {}),
    });
  const found = async (query: Record<string, string>): Promise<string[]> =>
    (
      await ask<CallsPage>(`calls?${new URLSearchParams({ from: '2024-03-01', to: '2024-03-02', ...query })}`)
    ).rows.map(({ id }) => id);
  expect(await found({ q: 'blue bicycle' })).toEqual([ids[3]]);
  expect(await found({ q: '50 %' })).toEqual([ids[3]]);
  expect(await found({ q: '+441234561007' })).toEqual([ids[7]]);
  expect(await found({ reason: 'silence-timed-out' })).toEqual([ids[4]]);
  expect(await found({ assistant: app.resources.keys.voice_assistant_id })).toEqual([ids[5]]);
  expect(await found({ from: '2024-03-02' })).toHaveLength(5);
  expect(await found({ list: 'live' })).toEqual([]);
  const first = await ask<CallsPage>('calls?from=2024-03-01&to=2024-03-02');
  const rest = await found({ after: first.next ?? '' });
  expect([first.rows.length, rest.length]).toEqual([50, 10]);
  expect(new Set([...first.rows.map(({ id }) => id), ...rest])).toEqual(new Set(ids));
  expect(first.reasons).toContain('silence-timed-out');
  for (const day of ['yesterday', '0000-01-01'])
    await expect(ask(`calls?from=${day}`)).rejects.toMatchObject({ status: 400 });
});

test('figures count what there was, with days that were quiet', async () => {
  const today = new Date().toISOString().slice(0, 10);
  const before = await ask<CallFigures>('call-figures?days=7');
  const turn = (turnLatency: number) => ({ turn: 1, turnLatency, modelLatency: turnLatency / 2 });
  await stored('00000000-0000-4000-8000-000000000201', today, {
    endedReason: 'assistant-ended-call',
    analysis: { successEvaluation: 'true' },
    artifact: { performanceMetrics: { turnLatencies: [turn(400), turn(600), turn(800)] } },
  });
  const after = await ask<CallFigures>('call-figures?days=7');
  expect(after.days).toHaveLength(7);
  expect(after.days.reduce((sum, { calls }) => sum + calls, 0)).toBe(after.calls);
  expect(after.calls - before.calls).toBe(1);
  expect(after.minutes - before.minutes).toBeCloseTo(2);
  expect([after.judged - before.judged, after.successful - before.successful]).toEqual([1, 1]);
  expect(after.reasons.find(({ reason }) => reason === 'assistant-ended-call')?.calls).toBe(1);
  expect([after.turns, after.latency[0]]).toEqual([
    3,
    { part: 'turnLatency', p50: 600, p95: expect.closeTo(780), p99: expect.closeTo(796) },
  ]);
  expect(after.latency.find(({ part }) => part === 'modelLatency')?.p50).toBe(300);
});
