import { readWave } from '@northline/speech/wave-file';
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { claims } from '../../../../tests/support/claims.ts';
import {
  askConsole,
  newAccount,
  newOperator,
  type TestAccount,
} from '../../../../tests/support/customers/operator-client.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { simpleEngines } from '../../../../tests/support/voice/simple-engines.ts';
import { voiceApi } from '../../../../tests/support/voice/voice-calls.ts';
import { embeddedVoices } from '../../../kernel/config/embedded-voices.ts';
import {
  type AssistantDetail,
  type AssistantDraft,
  type AssistantSaved,
  type AssistantsPage,
  type DraftCall,
  MOST_FILE_BYTES,
  OWN_VOICES,
  type VoicePreview,
} from './assistant-editor.contract.ts';

let app: TestApp;
let operator: TestAccount;
/** The lists of words that voices were opened with. */
const asked: unknown[] = [];
beforeAll(async () => {
  const engines = simpleEngines();
  const openVoice: typeof engines.openVoice = (call) => {
    asked.push(call.assistant.pronunciations);
    return engines.openVoice(call);
  };
  app = await startTestApp({ voiceEngines: { ...engines, openVoice } });
  operator = await newOperator(app);
});
afterAll(() => app.close());

const NOBODY = '00000000-0000-4000-8000-000000000000';
const OWN = { provider: 'embedded', choice: '' };
const DRAFT: AssistantDraft = {
  ...{ name: 'Night desk', firstMessage: 'Good evening.', prompt: 'You answer for Pizza Roma at night.' },
  ...{ fileIds: [], toolIds: [], model: OWN, voice: OWN, transcriber: OWN },
  pronunciations: [{ word: 'Niamh', said: 'Neev' }],
  website: { origins: ['https://roma.example'], greeting: 'Ciao.', light: '#1f4f8f', dark: '', open: '' },
};

const ask = <T>(
  name: string,
  { body, account = operator }: { body?: object; account?: Pick<TestAccount, 'client'> } = {},
): Promise<T> => askConsole<T>(name, account, body);

const detailOf = (id: string): Promise<AssistantDetail> => ask(`assistant?id=${id}`);
const save = (body: object): Promise<AssistantSaved> => ask('save-assistant', { body });
const audited = async (subject: string): Promise<(string | undefined)[]> =>
  (
    await app.resources.database.many(
      'select action from private.operator_audit where subject = $1 and actor is not null order by id',
      [subject],
    )
  ).map(({ action }) => action);

test('nobody but operators sees assistants or does anything to them', async () => {
  const user = await newAccount(app);
  const anonymous = { client: createClient(app.url, app.anonKey) };
  const bodies = {
    'save-assistant': { id: null, seen: null, draft: DRAFT },
    'restore-assistant': { id: NOBODY, version: 1 },
    'delete-assistant': { id: NOBODY },
    'try-assistant': { id: null, draft: DRAFT },
    'voice-preview': { voice: OWN, text: 'Hello' },
    'add-file': { name: 'hours.txt', content: 'aGVsbG8=' },
  };
  for (const account of [user, anonymous]) {
    for (const name of ['assistants', `assistant?id=${NOBODY}`])
      await expect(ask(name, { account }), name).rejects.toMatchObject({ status: 403 });
    for (const [name, body] of Object.entries(bodies))
      await expect(ask(name, { account, body }), name).rejects.toMatchObject({ status: 403 });
  }
  for (const name of ['restore-assistant', 'delete-assistant'] as const)
    await expect(ask(name, { body: bodies[name] }), name).rejects.toMatchObject({ status: 404 });
  await expect(save({ id: NOBODY, seen: null, draft: DRAFT })).rejects.toMatchObject({ status: 404 });
  await expect(detailOf(NOBODY)).rejects.toMatchObject({ status: 404 });
  const site = { id: app.resources.keys.voice_assistant_id };
  await expect(ask('delete-assistant', { body: site })).rejects.toMatchObject({ code: 'default_assistant' });
});

test('an assistant is made, changed, brought back to what it was, and deleted; each is signed and audited', async () => {
  const { id } = await save({ id: null, seen: null, draft: DRAFT });
  const first = await detailOf(id);
  expect(first.draft).toEqual(DRAFT);
  expect(first.assistant).toMatchObject({ id, name: 'Night desk', version: 1, is_site: false });

  const seen = first.assistant?.updated_at;
  const prompt = 'You answer for Pizza Roma. A margherita is nine pounds.';
  const changed = await save({ id, seen, draft: { ...DRAFT, prompt } });
  await expect(save({ id, seen, draft: { ...DRAFT, prompt: 'Mine' } })).rejects.toMatchObject({
    status: 409,
    code: 'changed_meanwhile',
  });
  await voiceApi(app, 'PATCH', `/assistant/${id}`, { endCallMessage: 'Bye.' });
  await save({ id, seen: null, draft: { ...DRAFT, prompt, voice: { provider: 'embedded', choice: 'rms' } } });
  const { versions } = await detailOf(id);
  expect(versions.map(({ version, author, changed: what }) => [version, author, what])).toEqual([
    [4, operator.email, ['voice']],
    [3, null, ['settings']],
    [2, operator.email, ['prompt']],
    [1, operator.email, []],
  ]);
  expect(versions[2]?.at).toBe(changed.updated_at);

  await ask('restore-assistant', { body: { id, version: 2 } });
  expect(await detailOf(id)).toMatchObject({ draft: { prompt, voice: OWN }, assistant: { version: 5 } });
  expect((await voiceApi(app, 'GET', `/assistant/${id}`)).body).not.toHaveProperty('endCallMessage');
  await expect(ask('restore-assistant', { body: { id, version: 99 } })).rejects.toMatchObject({
    status: 404,
  });

  expect(await ask('delete-assistant', { body: { id } })).toEqual({ done: true });
  expect((await voiceApi(app, 'GET', `/assistant/${id}`)).status).toBe(404);
  const left = await app.resources.database.many(
    'select version from private.voice_assistant_versions where assistant_id = $1',
    [id],
  );
  expect(left).toEqual([]);
  const saves = ['assistant.save', 'assistant.save'];
  expect(await audited(id)).toEqual(['assistant.create', ...saves, 'assistant.restore', 'assistant.delete']);
});

test('what the console does not edit stays; keys and passwords are in no version and stay with their settings', async () => {
  const made = await voiceApi(app, 'POST', '/assistant', {
    name: 'Keyed',
    server: { url: 'https://one.example/hook', secret: 'first-secret' },
    voice: { provider: '11labs', voiceId: 'v', stability: 0.4 },
    model: {
      provider: 'embedded',
      temperature: 0.3,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'assistant', content: 'Sure.' },
      ],
      tools: [{ type: 'function', function: { name: 'look_up' } }],
    },
  });
  const { id } = made.body;
  const { draft, own_tools } = await detailOf(id);
  expect([draft.prompt, draft.voice, own_tools]).toEqual([
    'Be brief.',
    { provider: '11labs', choice: 'v' },
    ['look_up'],
  ]);
  const { warnings } = await save({ id, seen: null, draft: { ...draft, name: 'Renamed' } });
  const unused = [
    expect.stringMatching(/^model\.temperature: is kept and does not act/),
    expect.stringMatching(/^voice\.provider: is kept and does not act/),
  ];
  expect(warnings).toEqual(unused);
  const inside = { ...draft, name: 'Renamed', firstMessage: 'https://127.0.0.1/hello.mp3' };
  expect((await save({ id, seen: null, draft: inside })).warnings).toEqual([
    ...unused,
    expect.stringMatching(/^firstMessage: callers hear a sentence in its place\. /),
  ]);
  expect((await voiceApi(app, 'GET', `/assistant/${id}`)).body).toMatchObject({
    name: 'Renamed',
    server: { url: 'https://one.example/hook' },
    voice: { provider: '11labs', voiceId: 'v', stability: 0.4 },
    model: { temperature: 0.3, messages: [{ content: 'Be brief.' }, { content: 'Sure.' }] },
  });
  const secretOf = async (): Promise<unknown> => {
    const whole = await app.resources.database.one(
      'select secrets from private.voice_records where id = $1',
      [id],
    );
    return whole.secrets;
  };
  expect(await secretOf()).toEqual(expect.any(String));
  const kept = await app.resources.database.many(
    'select body from private.voice_assistant_versions where assistant_id = $1',
    [id],
  );
  expect(JSON.stringify(kept)).not.toContain('first-secret');

  // Back to another address: the key for the present address must not go there.
  await ask('restore-assistant', { body: { id, version: 1 } });
  expect(await secretOf()).toEqual(expect.any(String));
  await voiceApi(app, 'PATCH', `/assistant/${id}`, {
    server: { url: 'https://two.example/hook', secret: 'second-secret' },
  });
  await ask('restore-assistant', { body: { id, version: 1 } });
  expect(await secretOf()).toBeNull();
  // A voice at another provider keeps nothing that was meant for the one before.
  await save({ id, seen: null, draft: { ...draft, voice: { provider: 'embedded', choice: 'emma' } } });
  expect((await voiceApi(app, 'GET', `/assistant/${id}`)).body.voice).toEqual({
    provider: 'embedded',
    voiceId: 'emma',
  });
});

test('a draft that does not fit is refused in words, and what it names has to be there', async () => {
  const refused = (changes: Partial<AssistantDraft>) =>
    expect(save({ id: null, seen: null, draft: { ...DRAFT, ...changes } })).rejects;
  await refused({ name: ' ' }).toMatchObject({ status: 400 });
  await refused({ prompt: 'x'.repeat(20_001) }).toMatchObject({ status: 400 });
  await refused({ fileIds: [NOBODY] }).toMatchObject({ status: 400, code: 'unknown_reference' });
  await refused({ toolIds: [NOBODY] }).toMatchObject({ status: 400, code: 'unknown_reference' });
  await refused({ model: { provider: 'custom-llm', choice: '' } }).toMatchObject({
    error: expect.stringContaining('is needed for custom-llm'),
  });
});

test('assistants are found by name and page by page; a new one begins with what there is to give', async () => {
  const tool = await voiceApi(app, 'POST', '/tool', { type: 'endCall' });
  onTestFinished(async () => void (await voiceApi(app, 'DELETE', `/tool/${tool.body.id}`)));
  await app.resources.database.run(
    `insert into private.voice_records (kind, body, created_at)
     select 'assistant', jsonb_build_object('name', 'Row ' || n), now() - n * interval '1 hour' from generate_series(1, 55) n`,
  );
  const first = await ask<AssistantsPage>('assistants?q=Row');
  const rest = await ask<AssistantsPage>(`assistants?q=Row&after=${first.next}`);
  expect([first.rows.length, rest.rows.length, rest.next]).toEqual([50, 5, null]);
  expect((await ask<AssistantsPage>('assistants?q=Row 7')).rows.map(({ name }) => name)).toEqual(['Row 7']);
  expect((await ask<AssistantsPage>('assistants?q=%25')).rows).toEqual([]);
  const fresh = await ask<AssistantDetail>('assistant');
  expect(fresh).toMatchObject({ assistant: null, draft: { name: '', model: OWN }, versions: [] });
  expect(fresh.tools.map(({ id }) => id)).toContain(tool.body.id);
  expect(fresh.providers.model).toContain('anthropic');
});

test('a file is added at the console, checked as every file is, and given to an assistant', async () => {
  claims('Choose a file of 10 MB at most.');
  const content = Buffer.from('We open at nine in the morning.').toString('base64');
  const { id } = await ask<{ id: string }>('add-file', { body: { name: 'hours.txt', content } });
  const { files } = await ask<AssistantDetail>('assistant');
  expect(files).toContainEqual({ id, name: 'hours.txt', status: expect.any(String) });
  const made = await save({ id: null, seen: null, draft: { ...DRAFT, fileIds: [id] } });
  expect((await voiceApi(app, 'GET', `/assistant/${made.id}`)).body.model.knowledgeBase).toEqual({
    fileIds: [id],
  });
  expect(await audited(id)).toEqual(['assistant.file']);
  const refused = (name: string, given: string) =>
    expect(ask('add-file', { body: { name, content: given } }), name).rejects;
  await refused('hours.exe', content).toMatchObject({ status: 415, code: 'unsupported_file' });
  await refused('hours.pdf', content).toMatchObject({ status: 415, code: 'unsupported_file' });
  await refused('hours.txt', '!').toMatchObject({ status: 400 });
  const tooLarge = Buffer.alloc(MOST_FILE_BYTES + 1, 'a').toString('base64');
  await refused('large.txt', tooLarge).toMatchObject({ status: 400, code: 'validation_failed' });
  await refused('hours.txt', 'A'.repeat(14_000_000)).toMatchObject({ status: 413 });
  const anonymous = { client: createClient(app.url, app.anonKey) };
  const large = { name: 'hours.txt', content: 'A'.repeat(1_100_000) };
  await expect(ask('add-file', { account: anonymous, body: large })).rejects.toMatchObject({
    status: 413,
    code: 'body_too_large',
  });
});

test('a call with a draft is made of what is written, and changes nothing', async () => {
  const { id } = await save({ id: null, seen: null, draft: DRAFT });
  const draft = { ...DRAFT, firstMessage: 'Good morning.' };
  const call = await ask<DraftCall>('try-assistant', { body: { id, draft } });
  expect(call.webCallUrl).toContain(`/room/${call.id}/`);
  expect((await voiceApi(app, 'GET', `/call/${call.id}`)).body).toMatchObject({
    assistant: { firstMessage: 'Good morning.' },
    artifactPlan: { recordingEnabled: false },
  });
  expect(await detailOf(id)).toMatchObject({
    draft: { firstMessage: 'Good evening.' },
    assistant: { version: 1 },
  });
  expect(await audited(id)).toEqual(['assistant.create', 'assistant.try']);
});

test('a voice is heard before it is chosen, and those of this server are named', async () => {
  const voice = { provider: 'embedded', choice: 'emma' };
  const { sound, warnings } = await ask<VoicePreview>('voice-preview', {
    body: { voice, text: 'One two three.' },
  });
  expect(readWave(Buffer.from(sound, 'base64')).pcm.length).toBeGreaterThan(4000);
  expect(warnings).toEqual([]);
  expect(await audited('embedded')).toEqual(['assistant.preview']);
  await expect(ask('voice-preview', { body: { voice, text: 'x'.repeat(201) } })).rejects.toMatchObject({
    status: 400,
  });
  expect(OWN_VOICES).toEqual(embeddedVoices().map(({ manifest: { name, title } }) => [name, title]));
});

test('a word is heard as the list says it, a list that cannot be is refused, and a provider’s voice warns', async () => {
  claims(
    'In plain spelling, such as Neev, or in phonemes between slashes, such as /nˈiːv/.',
    'Only the voice of this server reads this list.',
    'A provider’s voice says words in its own way.',
  );
  const tried = (said: string): Promise<VoicePreview> =>
    ask('voice-preview', { body: { voice: OWN, text: 'Niamh', pronunciations: [{ word: 'Niamh', said }] } });
  expect(readWave(Buffer.from((await tried('/nˈiːv/')).sound, 'base64')).pcm.length).toBeGreaterThan(1000);
  expect(asked.at(-1)).toEqual({ Niamh: '/nˈiːv/' });
  await expect(tried('/n33v/')).rejects.toMatchObject({ status: 400 });
  await expect(tried('')).rejects.toMatchObject({ status: 400 });
  const voice = { provider: '11labs', choice: 'rosa' };
  const { warnings } = await save({ id: null, seen: null, draft: { ...DRAFT, voice } });
  expect(warnings.filter((warning) => warning.startsWith('pronunciations'))).toEqual([
    'pronunciations: is kept and does not act: a provider’s voice says words in its own way',
  ]);
});

test('sites that cannot be are refused, and empty lines are left out', async () => {
  const website = { ...DRAFT.website, origins: ['', 'https://roma.example', ''], open: 'mon-fri 9:00-17:00' };
  const { id } = await save({ id: null, seen: null, draft: { ...DRAFT, website } });
  expect((await voiceApi(app, 'GET', `/assistant/${id}`)).body.website).toEqual({
    ...{ origins: ['https://roma.example'], greeting: 'Ciao.' },
    ...{ colours: { light: '#1f4f8f' }, hours: { open: 'mon-fri 9:00-17:00' } },
  });
  const refused = save({
    ...{ id: null, seen: null },
    draft: { ...DRAFT, website: { ...website, origins: ['https://roma.example/shop'] } },
  });
  await expect(refused).rejects.toMatchObject({ status: 400, code: 'validation_failed' });
});
