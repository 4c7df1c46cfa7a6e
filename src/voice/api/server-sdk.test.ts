import { VapiClient } from '@vapi-ai/server-sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { simpleEngines } from '../../../tests/support/voice/simple-engines.ts';

let app: TestApp;
let client: VapiClient;
beforeAll(async () => {
  app = await startTestApp({ voiceEngines: simpleEngines() });
  client = new VapiClient({
    token: app.resources.keys.voice_private_key,
    baseUrl: `${app.url}/voice/v1`,
    maxRetries: 0,
  });
});
afterAll(() => app.close());

test('the server SDK creates, lists, reads, changes and deletes an assistant', async () => {
  const made = await client.assistants.create({ name: 'Harbour desk', firstMessage: 'Hello' });
  expect(made).toMatchObject({
    name: 'Harbour desk',
    maxDurationSeconds: 1800,
    orgId: app.resources.keys.voice_org_id,
  });
  expect((await client.assistants.list()).map(({ id }) => id)).toContain(made.id);
  expect((await client.assistants.get({ id: made.id })).firstMessage).toBe('Hello');
  const changed = await client.assistants.update({ id: made.id, name: 'Night desk' });
  expect(changed).toMatchObject({ name: 'Night desk', firstMessage: 'Hello' });
  await client.assistants.delete({ id: made.id });
  await expect(client.assistants.get({ id: made.id })).rejects.toMatchObject({ statusCode: 404 });
});

test('the server SDK keeps squads, tools and phone numbers', async () => {
  const assistant = await client.assistants.create({ name: 'Member' });
  const squad = await client.squads.create({ name: 'Both', members: [{ assistantId: assistant.id }] });
  expect(
    (await client.squads.update({ id: squad.id, name: 'One', members: [{ assistantId: assistant.id }] }))
      .name,
  ).toBe('One');
  const tool = await client.tools.create({ type: 'endCall' });
  expect((await client.tools.get({ id: tool.id })).type).toBe('endCall');
  const number = await client.phoneNumbers.create({
    provider: 'vapi',
    numberDesiredAreaCode: '415',
    assistantId: assistant.id,
  });
  expect(number).toMatchObject({ provider: 'vapi', number: '+14155550100', assistantId: assistant.id });
  await client.phoneNumbers.delete({ id: number.id });
  await client.tools.delete({ id: tool.id });
  await client.squads.delete({ id: squad.id });
  expect(await client.squads.list()).toEqual([]);
});

test('the server SDK starts, lists, names, reads and deletes calls', async () => {
  const assistantId = app.resources.keys.voice_assistant_id;
  const made = (await client.calls.create({ assistantId })) as { id: string };
  expect(made).toMatchObject({ type: 'webCall', status: 'queued', assistantId });
  expect((await client.calls.list({ assistantId })).map(({ id }) => id)).toEqual([made.id]);
  expect((await client.calls.update({ id: made.id, name: 'Trial' })).name).toBe('Trial');
  expect((await client.calls.get({ id: made.id })).name).toBe('Trial');
  const phone = client.calls.create({ assistantId, customer: { number: '+442079460000' } });
  await expect(phone).rejects.toMatchObject({ statusCode: 422 });
  await client.calls.delete({ id: made.id });
  expect(await client.calls.list()).toEqual([]);
});
