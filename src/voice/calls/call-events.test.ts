import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { claims, showsSettings } from '../../../tests/support/claims.ts';
import {
  type AutomationCall,
  startAutomation,
  type TestAutomation,
} from '../../../tests/support/servers/automation-server.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { simpleEngines } from '../../../tests/support/voice/simple-engines.ts';
import { greetedCall, voiceApi } from '../../../tests/support/voice/voice-calls.ts';

let server: TestAutomation;
let app: TestApp;
beforeAll(async () => {
  server = await startAutomation();
  app = await startTestApp({
    voiceEngines: simpleEngines(),
    settings: { OUTBOUND_ALLOW_HOSTS: server.host },
  });
});
afterAll(async () => {
  await app.close();
  await server.close();
});

const SECRET = 'a secret of the assistant';

test('a call tells the server of its assistant when it began and ended, signed, with its report', async () => {
  claims('Answers and makes calls day and night, routes them to the right desk, and writes each one up.');
  const assistant = await voiceApi(app, 'POST', '/assistant', {
    firstMessage: 'Hello.',
    serverUrl: `${server.url}/calls`,
    serverUrlSecret: SECRET,
    metadata: { branch: 'Kiel' },
    serverMessages: ['status-update', 'end-of-call-report'],
  });
  const told = new Map<string, AutomationCall>();
  const hear = async (): Promise<void> => {
    const call = await server.next();
    const { message } = JSON.parse(call.body);
    told.set(`${message.type} ${message.status ?? ''}`.trim(), call);
  };
  const hearing = hear();
  const call = await greetedCall(app, { assistantId: assistant.body.id });
  await hearing;
  call.peer.send(JSON.stringify({ type: 'add-message', message: { role: 'user', content: 'goodbye' } }));
  // Each event is delivered at least once; a repetition changes nothing.
  while (told.size < 3) await hear();
  await call.peer.close();
  expect([...told.keys()].sort()).toEqual([
    'end-of-call-report',
    'status-update ended',
    'status-update in-progress',
  ]);
  const report = told.get('end-of-call-report') as AutomationCall;
  const { message } = JSON.parse(report.body);
  expect(message).toMatchObject({
    endedReason: 'assistant-ended-call',
    transcript: 'AI: Hello.\nUser: goodbye\nAI: Goodbye.\n',
    call: { id: call.id, type: 'webCall' },
    assistant: { firstMessage: 'Hello.', metadata: { branch: 'Kiel' } },
    artifact: { messages: [{ role: 'bot' }, { role: 'user' }, { role: 'bot' }] },
  });
  const { durationMs, durationSeconds, durationMinutes, startedAt, endedAt } = message;
  expect(durationMs).toBe(Date.parse(endedAt) - Date.parse(startedAt));
  expect([durationSeconds, durationMinutes]).toEqual([durationMs / 1000, Math.round(durationMs / 600) / 100]);
  expect(report.headers['x-call-id']).toBe(call.id);
  expect(report.body).not.toContain(SECRET);
  expect(report.body).not.toContain('/room/');
  expect(report.headers['x-vapi-secret']).toBe(SECRET);
  const verify = () =>
    new Webhook(Buffer.from(SECRET).toString('base64')).verify(report.body, report.headers);
  expect(verify).not.toThrow();
});

test('an assistant without a server is not told of, and one may leave messages out', async () => {
  const silent = await greetedCall(app, {
    assistant: {
      firstMessage: 'Hello.',
      serverUrl: `${server.url}/calls`,
      serverMessages: ['end-of-call-report'],
    },
  });
  const nobody = await greetedCall(app, { assistant: { firstMessage: 'Hello.' } });
  for (const call of [silent, nobody]) {
    await voiceApi(app, 'POST', `${call.url}/leave`, {});
    await call.over();
    await call.peer.close();
  }
  const events = await app.resources.database.many(
    'select kind, subject_id from private.outbox_events where subject_id = any($1::uuid[])',
    [[silent.id, nobody.id]],
  );
  expect(events).toEqual([{ kind: 'voice.end-of-call-report', subject_id: silent.id }]);
});

test('a transcript has the names that its plan gives, or is left out', async () => {
  showsSettings(
    'assistant',
    'artifactPlan.transcriptPlan.enabled',
    'artifactPlan.transcriptPlan.assistantName',
    'artifactPlan.transcriptPlan.userName',
  );
  const ended = async (transcriptPlan: object) => {
    const call = await greetedCall(app, {
      assistant: { firstMessage: 'Hello.', artifactPlan: { transcriptPlan } },
    });
    call.peer.send(JSON.stringify({ type: 'add-message', message: { role: 'user', content: 'goodbye' } }));
    const record = await call.over();
    await call.peer.close();
    return record;
  };
  const named = await ended({ assistantName: 'Ella', userName: 'Guest' });
  expect(named.transcript).toBe('Ella: Hello.\nGuest: goodbye\nElla: Goodbye.\n');
  expect(named.artifact.transcript).toBe(named.transcript);
  const none = await ended({ enabled: false });
  expect([none.transcript, none.artifact.transcript]).toEqual([undefined, undefined]);
  expect(none.messages).toHaveLength(3);
});
