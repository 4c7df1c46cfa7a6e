import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { claims } from '../../../../tests/support/claims.ts';
import {
  askConsole,
  newAccount,
  newOperator,
  newTrustedOperator,
  type TestAccount,
} from '../../../../tests/support/customers/operator-client.ts';
import { insertUser } from '../../../../tests/support/customers/plan-purchase.ts';
import { startMailServer, type TestMailServer } from '../../../../tests/support/servers/mail-server.ts';
import { providerClient } from '../../../../tests/support/servers/payment-provider.ts';
import { type S3Server, startS3Server } from '../../../../tests/support/servers/s3-server.ts';
import {
  startVoiceProviders,
  type VoiceProviders,
} from '../../../../tests/support/servers/voice-provider-servers.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { doctorCommand } from '../../../cli/doctor-command.ts';
import { settingsCommand } from '../../../cli/settings-command.ts';
import { readSettings } from '../../../kernel/config/settings.ts';
import { mergeSettings, readStoredWords } from '../../../kernel/resources/stored-settings.ts';
import { askForPrice } from './setting-trials.server.ts';
import {
  type AuditPage,
  SECOND_FACTOR_MISSING,
  type SettingsPage,
  type SettingsSaved,
  type ShownSetting,
  type TrialReply,
} from './settings.contract.ts';

let app: TestApp;
let operator: TestAccount;
let mail: TestMailServer;
let models: VoiceProviders;
let bucket: S3Server;
let feeds: Awaited<ReturnType<typeof startFeed>>;
const FOREIGN = 'smtp://10.0.0.7:25';

beforeAll(async () => {
  [mail, models, bucket, feeds] = await Promise.all([
    startMailServer('agency:s3cret'),
    startVoiceProviders(),
    startS3Server(),
    startFeed(),
  ]);
  app = await startTestApp({
    settings: {
      VOICE_HOURS: 'mon-fri 8:00-12:00',
      OUTBOUND_ALLOW_HOSTS: [new URL(mail.url).host, models.host, hostOf(bucket.storageUrl), feeds.host].join(
        ',',
      ),
    },
  });
  operator = await newTrustedOperator(app);
});
afterAll(async () => {
  await app.close();
  await Promise.all([mail.close(), models.close(), bucket.close(), feeds.close()]);
});

const hostOf = (url: string): string => /@([^/]+)/.exec(url)?.[1] ?? '';

async function startFeed() {
  const server = createServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'application/feed+json' }).end(
      JSON.stringify({
        version: 'https://jsonfeed.org/version/1.1',
        title: 'Harbour',
        items: [
          {
            id: '1',
            url: 'https://harbour.example/1',
            title: 'A new quay',
            content_text: 'It is long.',
            date_published: '2026-11-01T10:00:00Z',
          },
        ],
      }),
    ),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    host: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}/feed.json`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

const save = (group: string, words: Record<string, string | null>, who = operator): Promise<SettingsSaved> =>
  askConsole('save-settings', who, { group, words });
const trial = async (group: string): Promise<TrialReply['results']> =>
  (await askConsole<TrialReply>('try-settings', operator, { group })).results;

async function shown(name: string): Promise<ShownSetting> {
  const { groups } = await askConsole<SettingsPage>('settings', operator);
  const found = groups.flatMap(({ settings }) => settings).find((one) => one.name === name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
}

test('the settings are for operators who have used a second factor, and not for the server key', async () => {
  claims('They lead money and mail, so a password alone does not open them.');
  const bare = await newOperator(app);
  const customer = await newAccount(app);
  const service = { client: createClient(app.url, app.serviceKey) };
  for (const name of ['settings', 'save-settings', 'try-settings']) {
    const body = name === 'settings' ? undefined : { group: 'mail', words: { MAIL_FROM: 'a@b.example' } };
    await expect(askConsole(name, bare, body)).rejects.toMatchObject({
      status: 403,
      code: 'second_factor_missing',
    });
    await expect(askConsole(name, customer, body)).rejects.toMatchObject({
      status: 403,
      code: 'not_operator',
    });
    await expect(askConsole(name, service, body)).rejects.toMatchObject({
      status: 403,
      code: 'not_operator',
    });
  }
  expect((await app.resources.database.many('select name from private.console_settings')).length).toBe(0);
});

test('a mail server of the console is tried and used at once, here and in another process, and its password is never shown', async () => {
  claims('Saved and in use.', 'What your installation uses.');
  const beside = await startTestApp({
    beside: app,
    settings: { OUTBOUND_ALLOW_HOSTS: new URL(mail.url).host },
  });
  onTestFinished(() => beside.close());
  expect(app.resources.mailer.keepsMails).toBe(true);
  expect(await trial('mail')).toEqual([
    { ok: false, sentence: 'No mail server is named, so mails stay on this machine.' },
  ]);

  const wrong = mail.url.replace('s3cret', 'guessed');
  expect(await save('mail', { SMTP_URL: wrong, MAIL_FROM: 'Desk <desk@agency.example>' })).toEqual({
    changed: ['SMTP_URL', 'MAIL_FROM'],
    pending: [],
  });
  const [refused] = await trial('mail');
  expect(refused?.ok).toBe(false);
  expect(refused?.sentence).toMatch(/did not take the mail: .*535 5\.7\.8 Wrong name or password/);
  expect(refused?.sentence).not.toContain('guessed');

  await save('mail', { SMTP_URL: mail.url });
  expect(await trial('mail')).toEqual([
    expect.objectContaining({
      ok: true,
      sentence: expect.stringContaining(`took a mail to ${operator.email}`),
    }),
  ]);
  expect(mail.received.at(-1)).toMatchObject({ to: operator.email });
  expect(mail.received.at(-1)?.raw).toContain('From: Desk <desk@agency.example>');
  expect(await shown('SMTP_URL')).toMatchObject({
    origin: 'console',
    hidden: true,
    shown: `smtp://…@${new URL(mail.url).host}`,
    pending: false,
  });
  expect(JSON.stringify(await askConsole('settings', operator))).not.toContain('s3cret');

  // The agency's present name, also right after a new one was published.
  app.resources.site.install({
    content: { brand: { name: 'Quay', contactEmail: 'crew@quay.example', socialUrl: 'https://a.example' } },
  });
  await trial('mail');
  app.resources.site.install({ content: {} });
  expect(mail.received.at(-1)?.raw).toContain('Subject: A test mail of Quay');

  // The product's own mails leave through it, from every process.
  await expect.poll(() => beside.resources.mailer.keepsMails).toBe(false);
  const { database, mailer } = beside.resources;
  await mailer.send(database, {
    to: 'ada@customers.example',
    purpose: 'service',
    subject: 'Hello',
    text: 'a',
    html: 'a',
  });
  await expect.poll(() => mail.received.some(({ to }) => to === 'ada@customers.example')).toBe(true);
  expect((await fetch(`${app.url}/dev/mail.json`)).status).toBe(404);

  const stored = await app.resources.database.one(
    "select value, sealed from private.console_settings where name = 'SMTP_URL'",
  );
  expect(stored.value).toBeNull();
  expect(stored.sealed?.toString('latin1')).not.toContain('s3cret');

  // Without the server, mails stay on this machine again.
  await save('mail', { SMTP_URL: null });
  expect(app.resources.mailer.keepsMails).toBe(true);
  expect((await fetch(`${app.url}/dev/mail.json`)).status).not.toBe(404);
});

test('credit packs are sold at the new price at once, and free credits need confirmed addresses', async () => {
  const user = await insertUser(app);
  const packs = async (): Promise<unknown> => {
    const reply = await fetch(`${app.url}/functions/v1/credit-packs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.token}`, 'content-type': 'application/json' },
      body: '{}',
    });
    return reply.json();
  };
  expect(await packs()).toEqual({
    packs: [
      { credits: 10, amount_pence: 700 },
      { credits: 50, amount_pence: 3000 },
    ],
    currency: 'GBP',
  });
  expect((await save('prices', { CREDIT_PACKS: '20=1250' })).pending).toEqual([]);
  expect(await packs()).toEqual({ packs: [{ credits: 20, amount_pence: 1250 }], currency: 'GBP' });
  await expect(save('prices', { CREDIT_PACKS: '20=1' })).rejects.toMatchObject({
    status: 400,
    error:
      'The setting “Credit packs” must be credits=price pairs such as 10=700,50=3000, each price 30 or more.',
  });
  await expect(save('prices', { FREE_CREDITS: '5' })).rejects.toMatchObject({
    status: 400,
    error:
      '“Free credits” needs “Accounts open without a confirmed address” to be false: credits come with an address that somebody has confirmed.',
  });
  const confirms = async (): Promise<boolean> => {
    const reply = await fetch(`${app.url}/auth/v1/settings`, { headers: { apikey: app.anonKey } });
    return !((await reply.json()) as { mailer_autoconfirm: boolean }).mailer_autoconfirm;
  };
  expect(await confirms()).toBe(false);
  expect((await save('prices', { AUTH_AUTOCONFIRM: 'false', FREE_CREDITS: '5' })).pending).toEqual([]);
  expect(await confirms()).toBe(true);
  await save('prices', { AUTH_AUTOCONFIRM: null, FREE_CREDITS: null });
  expect(await confirms()).toBe(false);
  // The default, written out, is no setting of the console.
  await save('prices', { CREDIT_PACKS: '10=700,50=3000' });
  expect(await shown('CREDIT_PACKS')).toMatchObject({ origin: 'default' });
});

test('the environment wins over the console, and what was stored before stays out', async () => {
  expect(await shown('VOICE_HOURS')).toMatchObject({ origin: 'environment', shown: 'mon-fri 8:00-12:00' });
  // The page speaks of its own fields, not of the environment's names.
  expect(await shown('TIME_ZONE')).toMatchObject({
    about:
      'Time zone of “Opening hours” and “Hour of the backup”, and of times that the phone assistant says.',
  });
  await expect(save('hours', { VOICE_HOURS: 'mon-fri 9:00-10:00' })).rejects.toMatchObject({
    status: 409,
    code: 'set_by_environment',
    error: 'VOICE_HOURS is set in the environment of the server, which wins. Change it there.',
  });
  await expect(save('hours', { DATABASE_URL: 'postgres://a' })).rejects.toMatchObject({
    code: 'unknown_setting',
  });
  await expect(save('doors', {})).rejects.toMatchObject({ code: 'validation_failed' });
  const given = readSettings({ CREDIT_PACKS: '5=500' }, '/nowhere');
  const merged = mergeSettings(given, new Map([['CREDIT_PACKS', '9=900']]));
  expect([merged.settings.CREDIT_PACKS, merged.originOf('CREDIT_PACKS')]).toEqual(['5=500', 'environment']);
});

test('opening hours that an owner changes count from the next free time on', async () => {
  const other = await startTestApp();
  onTestFinished(() => other.close());
  const owner = await newTrustedOperator(other);
  const hoursOffered = async (): Promise<string[]> => {
    const { times } = await askConsole<{ times: string[] }>('free-times', owner, { count: 40 });
    const { TIME_ZONE: timeZone } = other.resources.settings;
    const hour = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' });
    return [...new Set(times.map((time) => hour.format(new Date(time))))].toSorted();
  };
  expect(await save('hours', { VOICE_HOURS: 'mon-sun 6:00-7:00' }, owner)).toEqual({
    changed: ['VOICE_HOURS'],
    pending: [],
  });
  expect(await hoursOffered()).toEqual(['06:00', '06:30']);
  await save('hours', { VOICE_HOURS: 'mon-sun 19:00-20:00' }, owner);
  expect(await hoursOffered()).toEqual(['19:00', '19:30']);
  // Hours without their zone would be offered at other times of the day.
  expect(await save('hours', { TIME_ZONE: 'Asia/Tokyo' }, owner)).toEqual({
    changed: ['TIME_ZONE'],
    pending: [],
  });
  expect(other.resources.settings.TIME_ZONE).toBe('Asia/Tokyo');
  expect(await hoursOffered()).toEqual(['19:00', '19:30']);
});

test('a setting that a running process cannot take over says so, and the next start uses it', async () => {
  claims('It takes effect at the next start.');
  expect(await save('telephone', { SIP_CALL_PREFIXES: '+41' })).toEqual({
    changed: ['SIP_CALL_PREFIXES'],
    pending: ['SIP_CALL_PREFIXES'],
  });
  expect(await shown('SIP_CALL_PREFIXES')).toMatchObject({ shown: '+41', pending: true });
  expect(app.resources.settings.SIP_CALL_PREFIXES).toEqual([]);
  const next = await startTestApp({ beside: app });
  onTestFinished(() => next.close());
  expect(next.resources.settings.SIP_CALL_PREFIXES).toEqual(['+41']);
  // A new key of Stripe needs a start too: the emulator has sold until now.
  const stripe = { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' };
  await expect(save('payments', { STRIPE_SECRET_KEY: 'sk_test_1' })).rejects.toMatchObject({
    error: expect.stringContaining("“Stripe's key” is set but “Secret of the webhook endpoint” is empty"),
  });
  expect((await save('payments', stripe)).pending).toEqual(Object.keys(stripe));
  expect(await shown('STRIPE_SECRET_KEY')).toMatchObject({ shown: 'Set', hidden: true, pending: true });
  const selling = await startTestApp({ beside: app });
  onTestFinished(() => selling.close());
  expect(selling.resources.settings.STRIPE_SECRET_KEY).toBe('sk_test_1');
  // There, another key of the same mode replaces it at once.
  await save('payments', { STRIPE_SECRET_KEY: 'sk_test_2' });
  await expect.poll(() => selling.resources.settings.STRIPE_SECRET_KEY).toBe('sk_test_2');
  expect(app.resources.settings.STRIPE_SECRET_KEY).toBe('');
  await save('payments', { STRIPE_SECRET_KEY: null, STRIPE_WEBHOOK_SECRET: null });
  await save('telephone', { SIP_CALL_PREFIXES: null });
});

test('the audit log names accounts and what else has a name, and what is gone by its kind', async () => {
  const { id: customer } = await insertUser(app, 'cleo@customers.example');
  const act = (body: object) => askConsole('act', operator, body);
  await act({ do: 'customer.credits', id: customer, amount: 5, reason: 'The scan was upside down' });
  await act({ do: 'customer.credits', id: customer, amount: -1, reason: 'A twin' });
  await act({ do: 'mail.suppress', address: 'stop@customers.example' });
  const newest = async (): Promise<string[]> =>
    (await askConsole<AuditPage>('audit?log=console', operator)).rows
      .slice(0, 3)
      .map(({ sentence }) => sentence);
  const who = operator.email;
  expect(await newest()).toEqual([
    `${who} stopped mails to stop@customers.example.`,
    `${who} took 1 credit from cleo@customers.example, because: “A twin”.`,
    `${who} gave 5 credits to cleo@customers.example, because: “The scan was upside down”.`,
  ]);
  await app.resources.database.run('delete from auth.users where id = $1', [customer]);
  expect((await newest())[1]).toBe(`${who} took 1 credit from a deleted account, because: “A twin”.`);
  const staff = await newOperator(app, 'staff');
  await expect(askConsole('audit', staff)).rejects.toMatchObject({ status: 403, code: 'role_too_low' });
});

test('the product is started anew for what waits, by a trusted owner, where somebody starts it again', async () => {
  claims('Nobody would start the product again by itself here: stop and start it where you started it.');
  await expect(askConsole('restart', operator, {})).rejects.toMatchObject({
    status: 409,
    code: 'nobody_restarts',
  });
  expect((await askConsole<SettingsPage>('settings', operator)).restarts).toBe(false);
  let ended = 0;
  const supervised = await startTestApp({
    beside: app,
    restart: () => (ended += 1),
    settings: { RATE_LIMITS: 'on' },
  });
  onTestFinished(() => supervised.close());
  const owner = await newTrustedOperator(supervised);
  const staff = await newTrustedOperator(supervised, 'staff');
  const before = await askConsole<SettingsPage>('settings', owner);
  expect(before.restarts).toBe(true);
  await expect(askConsole('restart', owner, {})).rejects.toMatchObject({
    status: 409,
    code: 'nothing_to_do',
  });
  await askConsole('save-settings', owner, { group: 'telephone', words: { SIP_CALL_PREFIXES: '+33' } });
  await expect(askConsole('restart', staff, {})).rejects.toMatchObject({ status: 403, code: 'role_too_low' });
  await expect(askConsole('restart', await newOperator(supervised), {})).rejects.toMatchObject({
    status: 403,
    code: SECOND_FACTOR_MISSING,
  });
  expect(ended).toBe(0);
  expect(await askConsole('restart', owner, {})).toEqual({ waited: ['SIP_CALL_PREFIXES'] });
  expect(ended).toBe(1);
  const [entry] = (await askConsole<AuditPage>('audit?q=settings.restart', owner)).rows;
  expect(entry?.sentence).toBe(`${owner.email} started the product anew, for “Numbers that may be called”.`);
  // The limit: three a minute.
  for (let more = 0; more < 2; more += 1) await askConsole('restart', owner, {}).catch(() => {});
  await expect(askConsole('restart', owner, {})).rejects.toMatchObject({ status: 429 });
  await askConsole('save-settings', owner, { group: 'telephone', words: { SIP_CALL_PREFIXES: null } });
});

test('what only the environment decides is shown and not changed', async () => {
  claims('Only the environment of the server decides this.');
  const { groups } = await askConsole<SettingsPage>('settings', operator);
  const [address] = groups.find(({ id }) => id === 'address')?.settings ?? [];
  expect(address).toMatchObject({ name: 'SITE_URL', fixed: true, usual: app.url });
  await expect(save('address', { SITE_URL: 'https://evil.example' })).rejects.toMatchObject({ status: 400 });
});

test('opening hours in another language or backwards are refused with the form and an example', async () => {
  const refused = {
    status: 400,
    error: expect.stringMatching(/first three letters of their English names .* such as mon-fri 9:00-17:00/),
  };
  const free = await startTestApp();
  onTestFinished(() => free.close());
  const owner = await newTrustedOperator(free);
  const write = (words: string) =>
    askConsole('save-settings', owner, { group: 'hours', words: { VOICE_HOURS: words } });
  for (const words of ['lun-ven 9:00-17:00', 'mon-fri 17:00-9:00', 'mon 9-17'])
    await expect(write(words), words).rejects.toMatchObject(refused);
  await write('mon-fri 9:00-12:00, mon-fri 14:00-18:00');
});

test('addresses of private networks are refused, at saving and again in a trial', async () => {
  await expect(save('mail', { SMTP_URL: FOREIGN })).rejects.toMatchObject({
    status: 400,
    error: '“Mail server”: 10.0.0.7 is not a public address. To allow it, name it in OUTBOUND_ALLOW_HOSTS.',
  });
  const inside: [string, string, string][] = [
    ['documents', 'DOCUMENT_LLM_URL', 'https://:k@192.168.1.9/v1?model=m'],
    ['voice', 'VOICE_TTS_URL', 'https://:k@localhost/v1?model=m'],
    ['voice', 'VOICE_STT_URL', 'wss://:k@[::1]/v1?model=m'],
    ['backup', 'BACKUP_TO', 's3://K:S@169.254.169.254/bucket?region=eu-west-1'],
    ['news', 'NEWS_FEEDS', 'https://127.0.0.1/feed'],
    ['automations', 'AUTOMATION_URLS', 'crm=https://10.1.1.1/hook'],
    ['automations', 'ENQUIRY_WEBHOOK_URL', 'https://10.1.1.1/hook'],
    ['telephone', 'SIP_TRUNKS', 'sip://u:p@10.1.1.1'],
    ['hours', 'BOOKING_CALENDAR', 'https://10.1.1.1/a.ics'],
  ];
  for (const [group, name, word] of inside)
    await expect(save(group, { [name]: word })).rejects.toMatchObject({
      status: 400,
      error: expect.stringContaining('is not a public address'),
    });
  await expect(
    save('documents', { DOCUMENT_LLM_URL: 'http://:k@models.example/v1?model=m' }),
  ).rejects.toMatchObject({
    error: '“Language model”: Plain http is only for hosts in OUTBOUND_ALLOW_HOSTS.',
  });
  await expect(
    save('automations', { AUTOMATION_URLS: 'crm=https://93.184.215.14/hook#no.such' }),
  ).rejects.toMatchObject({
    error: 'The setting “Automations that receive events” names an unknown event no.such.',
  });
});

test('models are asked one question, the voice speaks and the recogniser hears it', async () => {
  const model = models.address('http', '/v1');
  expect((await trial('documents'))[0]).toMatchObject({
    ok: false,
    sentence: expect.stringContaining('No model is named'),
  });
  await save('documents', { DOCUMENT_LLM_URL: model });
  models.answers.push({ call: 'answer', given: { answer: 'yes' } });
  expect((await trial('documents'))[0]).toMatchObject({
    ok: true,
    sentence: expect.stringContaining('"answer":"yes"'),
  });
  models.mode = 'refusing';
  expect((await trial('documents'))[0]).toMatchObject({
    ok: false,
    sentence: expect.stringContaining('503'),
  });
  models.mode = 'well';

  expect(await trial('voice')).toEqual([
    { ok: true, sentence: 'No provider is named: the embedded engines take every call.' },
  ]);
  await save('voice', { VOICE_LLM_URL: model, VOICE_TTS_URL: model, VOICE_STT_URL: model });
  models.answers.push({ text: 'Yes.' });
  models.heard.push('One two three');
  const results = await trial('voice');
  expect(results.map(({ ok }) => ok)).toEqual([true, true, true]);
  expect(results[0]?.sentence).toContain('it answers “Yes.”');
  expect(results[1]?.sentence).toContain('0.2 seconds of sound');
  expect(results[2]?.sentence).toContain('it heard “One two three”');
  expect(app.resources.settings.VOICE_LLM_URL).toBe(model);
  await save('voice', {
    VOICE_LLM_URL: null,
    VOICE_TTS_URL: null,
    VOICE_STT_URL: models.address('ws', '/v1/listen'),
  });
  expect((await trial('voice'))[0]?.sentence).toMatch(/only a call can try a recogniser/);
  await save('voice', { VOICE_STT_URL: null });
});

test('a place of backups is written and read, and a wrong one says why not', async () => {
  expect((await trial('backup'))[0]).toMatchObject({
    ok: false,
    sentence: expect.stringContaining('No place is named'),
  });
  const place = bucket.storageUrl.replace(/\?/, '/backups?');
  await save('backup', { BACKUP_TO: place, BACKUP_HOUR: '4' });
  expect((await trial('backup'))[0]).toMatchObject({
    ok: true,
    sentence: expect.stringContaining('not encrypted'),
  });
  await save('backup', { BACKUP_PASSPHRASE: 'nine tall ships' });
  const [sealed] = await trial('backup');
  expect(sealed?.sentence).not.toContain('not encrypted');
  expect(app.resources.settings.BACKUP_HOUR).toBe(4);
  await save('backup', { BACKUP_TO: place.replace(/:\/\/[^:]+:[^@]+@/, '://WRONG:KEYS@') });
  expect((await trial('backup'))[0]).toMatchObject({
    ok: false,
    sentence: expect.stringContaining('refused (403'),
  });
  // Node.js would try for ever to make this one.
  await expect(save('backup', { BACKUP_TO: '/proc/none' })).rejects.toMatchObject({
    status: 400,
    error: expect.stringContaining('The folder /proc/none cannot be used'),
  });
  await expect(save('backup', { BACKUP_TO: 'backups' })).rejects.toMatchObject({
    error: '“Place” must be a whole path, such as /var/backups/northline.',
  });
  const folder = `${app.resources.settings.DATA_DIR}/copies`;
  await save('backup', { BACKUP_TO: folder });
  expect((await trial('backup'))[0]).toMatchObject({ ok: true, sentence: expect.stringContaining(folder) });
  expect(readdirSync(folder)).toEqual([]);
  await expect(save('backup', { BACKUP_PASSPHRASE: 'short' })).rejects.toMatchObject({
    error: 'The setting “Passphrase” must have 12 characters or more.',
  });
  await save('backup', { BACKUP_TO: null, BACKUP_HOUR: null, BACKUP_PASSPHRASE: null });
});

test('feeds are fetched once by a trial and shown at once; a feed that leaves takes its articles along', async () => {
  const news = async (): Promise<string> =>
    (
      await fetch(`${app.url}/functions/v1/news`, { headers: { authorization: `Bearer ${app.anonKey}` } })
    ).text();
  expect(await trial('news')).toEqual([{ ok: false, sentence: 'No feed is named.' }]);
  await save('news', { NEWS_FEEDS: feeds.url });
  expect(await trial('news')).toEqual([{ ok: true, sentence: `${feeds.host}: 1 articles.` }]);
  await expect.poll(news).toContain('A new quay');
  await save('news', { NEWS_FEEDS: null });
  expect(await news()).not.toContain('A new quay');
});

test('the payment provider is asked for one price, and refuses a wrong key in its own words', async () => {
  expect((await trial('payments'))[0]).toMatchObject({
    ok: true,
    sentence: expect.stringContaining('The built-in provider answers'),
  });
  await expect(askForPrice(providerClient(app, 'sk_test_wrong'))).rejects.toThrow(
    /The payment provider refused: .*API Key/i,
  );
  await askForPrice(providerClient(app));
});

test('each change is in the audit log with who and what, and no secret; the log is read by page, log and words', async () => {
  claims(
    'Every change is in the audit log.',
    'Who did what and when.',
    'Nobody can change or delete an entry.',
    'Nothing was found.',
  );
  await save('prices', { CREDIT_PACKS: '30=2100' });
  await save('prices', { CREDIT_PACKS: null });
  const { rows } = await askConsole<AuditPage>('audit?log=console&q=CREDIT_PACKS', operator);
  expect(rows.slice(0, 2).map(({ actor, action, details }) => [actor, action, details])).toEqual([
    [operator.email, 'settings.change', { from: '30=2100', to: 'default' }],
    [operator.email, 'settings.change', { from: 'default', to: '30=2100' }],
  ]);
  expect(rows[0]?.sentence).toBe(`${operator.email} changed “Credit packs” from 30=2100 to default.`);
  const secrets = await askConsole<AuditPage>('audit?q=SMTP_URL', operator);
  expect(secrets.rows.length).toBeGreaterThan(1);
  expect(JSON.stringify(secrets)).not.toMatch(/s3cret|guessed/);
  // An unchanged word is no change.
  expect((await save('prices', { CREDIT_PACKS: null })).changed).toEqual([]);

  await app.resources.database.run(
    `insert into private.operator_audit (action, subject, details)
     select 'test.mark', 'mark ' || n, '{}' from generate_series(1, 120) n`,
  );
  const seen: string[] = [];
  let after: string | null = '';
  for (let page = 0; page < 4 && after !== null; page += 1) {
    const { rows: shownRows, next }: AuditPage = await askConsole(
      `audit?q=test.mark&after=${encodeURIComponent(after)}`,
      operator,
    );
    seen.push(...shownRows.map(({ subject }) => subject));
    after = next;
  }
  expect(after).toBeNull();
  expect(new Set(seen).size).toBe(120);
  expect(seen).toHaveLength(120);
  const accounts = await askConsole<AuditPage>(
    `audit?log=accounts&q=${encodeURIComponent(operator.email)}`,
    operator,
  );
  expect(accounts.rows.map(({ action }) => action)).toContain('login');
  // Words of a sentence are found, as its code is.
  const entered = await askConsole<AuditPage>('audit?log=accounts&q=signed%20in', operator);
  expect(entered.rows[0]).toMatchObject({
    action: 'login',
    sentence: expect.stringMatching(/ signed in\.$/),
  });
  await expect(askConsole('audit', await newAccount(app))).rejects.toMatchObject({ status: 403 });
  const { database } = app.resources;
  const append = /append-only/;
  await expect(database.run('delete from private.operator_audit')).rejects.toThrow(append);
  await expect(database.run('delete from private.payment_audit')).rejects.toThrow(append);
  await expect(database.run('delete from auth.audit_log_entries')).rejects.toThrow(append);
});

test('a secret that another key has sealed is named and left out, and the rest works on', async () => {
  await save('mail', { SMTP_URL: mail.url, MAIL_FROM: 'Desk <desk@agency.example>' });
  const { database, keys } = app.resources;
  const other = { ...keys, master_secret: Buffer.alloc(32, 7).toString('base64url') };
  const merged = mergeSettings(readSettings({}, '/nowhere'), await readStoredWords(database, other));
  expect(merged.settings).toMatchObject({ SMTP_URL: '', MAIL_FROM: 'Desk <desk@agency.example>' });
  expect(merged.faults.get('SMTP_URL')).toBe(
    'It was stored with another keys.json, so it cannot be read: write it again.',
  );
  await database.run(
    "update private.console_settings set sealed = substr(sealed, 1, 20) || '\\x00'::bytea where name = 'SMTP_URL'",
  );
  await expect.poll(async () => (await shown('SMTP_URL')).fault).toContain('write it again');
  expect(app.resources.mailer.keepsMails).toBe(true);
  // The others of the group can still be changed, and writing it again mends it.
  await save('mail', { MAIL_FROM: null });
  await save('mail', { SMTP_URL: mail.url });
  expect(await shown('SMTP_URL')).toMatchObject({ fault: null, origin: 'console' });
  await save('mail', { SMTP_URL: null });
});

test('stored words that no longer fit the environment are left out with their reason, so that a start succeeds', async () => {
  const stored = new Map([
    ['FREE_CREDITS', '5'],
    ['CREDIT_PACKS', '9=900'],
    ['NEWS_FEEDS', 'https://a.example/feed'],
  ] as const);
  const open = mergeSettings(readSettings({ AUTH_AUTOCONFIRM: 'false' }, '/nowhere'), stored);
  expect([open.settings.FREE_CREDITS, open.faults.size]).toEqual([5, 0]);
  const closed = mergeSettings(readSettings({}, '/nowhere'), stored);
  expect(closed.settings).toMatchObject({ FREE_CREDITS: 0, CREDIT_PACKS: '10=700,50=3000' });
  expect(closed.settings.NEWS_FEEDS).toEqual(['https://a.example/feed']);
  expect(closed.faults.get('FREE_CREDITS')).toMatch(/needs AUTH_AUTOCONFIRM to be false/);
});

test('an operator may try ten times a minute, because a trial reaches other servers', async () => {
  const limited = await startTestApp({ beside: app, settings: { RATE_LIMITS: 'on' } });
  onTestFinished(() => limited.close());
  const { data } = await operator.client.auth.getSession();
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 11; attempt += 1) {
    const reply = await fetch(`${limited.url}/functions/v1/operator-try-settings`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${data.session?.access_token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ group: 'news' }),
    });
    statuses.push(reply.status);
  }
  expect(statuses).toEqual([...Array(10).fill(200), 429]);
});

test('the commands say where a value comes from, and the doctor names what the console decides', async () => {
  await save('prices', { CREDIT_PACKS: '20=1250' });
  const given = readSettings(
    { DATA_DIR: app.resources.settings.DATA_DIR, DATABASE_URL: app.databaseUrl, PORT: '1' },
    '/nowhere',
  );
  const text = String(await settingsCommand.run(given, []));
  expect(text).toMatch(/^CREDIT_PACKS=20=1250 +# console$/m);
  expect(text).toMatch(/^DATABASE_URL=.* # environment$/m);
  expect(text).toMatch(/^FREE_CREDITS=0 +# default$/m);
  const findings = await doctorCommand.run(given, []);
  expect(typeof findings === 'string' ? findings : findings.text).toContain(
    'settings of the console: CREDIT_PACKS',
  );
  const elsewhere = await settingsCommand.run({ ...given, DATA_DIR: '/nowhere' }, []);
  expect(elsewhere).toContain(
    '# The settings of the console could not be read: there is no installation in DATA_DIR yet',
  );
  await save('prices', { CREDIT_PACKS: null });
});
