import { afterAll, beforeAll, expect, test } from 'vitest';
import { showsSettings } from '../../../tests/support/claims.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { simpleEngines } from '../../../tests/support/voice/simple-engines.ts';
import { greetedCall, voiceApi } from '../../../tests/support/voice/voice-calls.ts';
import { until } from '../../../tests/support/voice/voice-peer.ts';
import { teamOf } from '../calls/squad-members.server.ts';
import type { CallContext, VoiceEngines } from '../engines/engines.server.ts';
import { createVoiceRecords, type VoiceRecords } from '../records/voice-records.server.ts';
import { withTeam } from './assistant-handover.server.ts';
import { handoverTools } from './model/handover-tools.server.ts';
import { withRecordingConsent } from './recording-consent.server.ts';

/** Each assistant says who it is and what it heard; on `hand over` the first one hands over by its tool. */
const engines: VoiceEngines = {
  ...simpleEngines(),
  async openDialogue(call) {
    const name = call.assistant.name ?? 'nobody';
    return {
      name,
      async *greet() {
        yield { kind: 'sentence', text: `${name} greets.` };
      },
      async *reply(heard) {
        yield { kind: 'sentence', text: `${name} heard ${heard.text}.` };
        const { transferCall } = handoverTools(call);
        if (heard.text === 'hand over')
          await transferCall?.run({ destination: call.team?.destinations[0]?.name }, 't1');
      },
      usage: () => ({ promptTokens: 1, completionTokens: 1 }),
      close: () => {},
    };
  },
};

let app: TestApp;
let records: VoiceRecords;
let sales: string;
beforeAll(async () => {
  app = await startTestApp({ voiceEngines: engines });
  records = createVoiceRecords(app.resources, app.resources.keys.voice_org_id);
  const made = await voiceApi(app, 'POST', '/assistant', {
    name: 'Sales desk',
    firstMessage: 'Sales here, {{name}}.',
  });
  sales = made.body.id;
});
afterAll(() => app.close());

const squad = () => ({
  members: [
    {
      assistant: {
        name: 'Reception',
        firstMessage: 'Hello.',
        clientMessages: ['transfer-update', 'model-output', 'speech-update'],
      },
      assistantDestinations: [
        {
          type: 'assistant',
          assistantName: 'Sales desk',
          message: 'One moment, please.',
          description: 'prices',
        },
        { type: 'assistant', assistantName: 'Nobody known' },
        { type: 'number', number: '+442079460000' },
      ],
    },
    {
      assistantId: sales,
      assistantDestinations: [{ type: 'assistant', assistantName: 'Reception' }],
    },
  ],
});

test('a squad hands a call over where the caller asks for it by name, and where its model does', async () => {
  showsSettings('assistant', 'name');
  showsSettings(
    'squad',
    'members[].assistantDestinations[].type',
    'members[].assistantDestinations[].assistantName',
    'members[].assistantDestinations[].description',
    'members[].assistantDestinations[].message',
  );
  showsSettings('tool', 'destinations[].message');
  const call = await greetedCall(app, {
    squad: squad(),
    assistantOverrides: { variableValues: { name: 'Ann' } },
  });
  const outputs = () => call.messages('model-output').map(({ output }) => output);
  const silences = () => call.messages('speech-update').filter(({ status }) => status === 'stopped').length;
  const say = async (content: string, count: number): Promise<void> => {
    const before = silences();
    call.peer.send(JSON.stringify({ type: 'add-message', message: { role: 'user', content } }));
    await until(`an answer to ${content}`, () => outputs().length >= count);
    await until('it was said', () => silences() > before);
  };
  await say('good morning', 1);
  await say('could you put me through to the sales desk', 3);
  await say('what does it cost', 4);
  await say('hand over', 6);
  await voiceApi(app, 'POST', `${call.url}/leave`, {});
  const record = await call.over();
  await call.peer.close();
  expect(outputs()).toEqual([
    'Reception heard good morning.',
    'One moment, please.',
    'Sales here, Ann.',
    'Sales desk heard what does it cost.',
    'Sales desk heard hand over.',
    'Hello.',
  ]);
  expect(call.messages('transfer-update').map(({ destination }) => destination)).toEqual([
    { type: 'assistant', assistantName: 'Sales desk' },
    { type: 'assistant', assistantName: 'Reception' },
  ]);
  expect(record.transcript).toContain('AI: One moment, please. Sales here, Ann.');
});

test('handoff tools name assistants that are kept or described; only those that are there can be asked for', async () => {
  showsSettings('squad', 'members[].assistantDestinations[].assistantId');
  showsSettings(
    'tool',
    'destinations[].type',
    'destinations[].assistantName',
    'destinations[].assistantId',
    'destinations[].assistant>assistant',
    'destinations[].assistantOverrides>assistant',
    'destinations[].description',
  );
  const first = {
    name: 'Reception',
    model: {
      provider: 'openai',
      tools: [
        {
          type: 'handoff',
          destinations: [
            { type: 'assistant', assistantId: sales },
            { type: 'assistant', assistant: { name: 'Night desk', firstMessage: 'Good night.' } },
            { type: 'assistant', assistantId: '3f0f43a6-4f0a-4c39-8a51-0d9a7d6a3c11' },
          ],
        },
      ],
    },
  };
  const team = await teamOf(records, {}, first);
  expect(team.map(({ assistant }) => assistant.name)).toEqual(['Reception', 'Sales desk', 'Night desk']);
  expect(team[0]?.destinations.map(({ name }) => name)).toEqual(['Sales desk', 'Night desk']);
  expect(await teamOf(records, {}, { name: 'Alone' })).toHaveLength(1);
});

test('without destinations the server of the assistant says where a call goes, and a telephone is refused', async () => {
  const asked: string[] = [];
  let answer: unknown;
  const handed: string[] = [];
  const call: CallContext = {
    callId: 'c1',
    assistant: { model: { provider: 'openai', tools: [{ type: 'transferCall' }] } },
    log: () => {},
    async queryServer({ type }) {
      asked.push(type);
      return answer;
    },
    team: {
      destinations: [],
      handOff(name) {
        handed.push(name);
        return name === 'Sales desk';
      },
    },
  };
  const run = async () => handoverTools(call).transferCall?.run({}, 't1');
  answer = { destination: { type: 'assistant', assistantName: 'Sales desk' } };
  expect(await run()).toContain('takes over');
  answer = { destination: { type: 'number', number: '+442079460000' } };
  await expect(run()).rejects.toThrow('cannot be put through to the telephone');
  answer = { error: 'Everybody is at lunch.' };
  await expect(run()).rejects.toThrow('Everybody is at lunch.');
  expect([asked[0], handed]).toEqual(['transfer-destination-request', ['Sales desk']]);
  expect(handoverTools({ ...call, assistant: {} })).toEqual({});
});

test('whether a whisper is heeded is as with whoever has the word', async () => {
  const mixed: VoiceEngines = {
    ...engines,
    openDialogue: async (call) => ({
      ...(await engines.openDialogue(call)),
      followsInstructions: call.assistant.name === 'Model',
    }),
  };
  const team = [
    { assistant: { name: 'Model' }, destinations: [{ name: 'Rules', description: '', message: '' }] },
    { assistant: { name: 'Rules' }, destinations: [] },
  ];
  const call: CallContext = { callId: 'c1', assistant: {}, log: () => {} };
  const asking = await withRecordingConsent(withTeam(mixed, team), {
    question: 'May I record?',
    first: false,
  }).openDialogue(call);
  const dialogue = await withTeam(mixed, team).openDialogue(call);
  expect([asking.followsInstructions, dialogue.followsInstructions]).toEqual([true, true]);
  const turn = { text: 'put me through to rules', confidence: 1, typed: true };
  const steps = await Array.fromAsync(dialogue.reply(turn, [], new AbortController().signal));
  expect(steps).toContainEqual({ kind: 'transfer', to: 'Rules' });
  expect(dialogue.followsInstructions).toBe(false);
});
