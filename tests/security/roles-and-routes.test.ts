import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  LEAST_ROLES,
  OPERATOR_ROLES,
  ROLE_TOO_LOW,
} from '../../src/business/console/operator-roles.contract.ts';
import { API_RIGHTS, FUNCTION_RIGHTS } from '../../src/kernel/contract/api-rights.ts';
import { claims } from '../support/claims.ts';
import { newApiKey } from '../support/customers/api-keys.ts';
import { newOperator } from '../support/customers/operator-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** Who may call a route: 401 and 403 are refusals, every other reply is for callers who may. */
interface Rule {
  readonly routes: RegExp;
  /**
   * Letters of the callers who may: n without a key, a the public key, u a signed-in user, s the service key.
   */
  readonly pass: string;
  readonly why: string;
  readonly body?: object;
  /** Used in place of the route's own path. */
  readonly path?: string;
}

/** The first rule that matches a route applies to it. */
const RULES: readonly Rule[] = [
  { routes: / \/(livez|readyz|config\.json)$/, pass: 'naus', why: 'says nothing but that it runs' },
  {
    routes: /^GET \/dev\/(mail|sms)\.json$/,
    pass: process.platform === 'linux' ? 'naus' : '',
    why: 'programs of our own account, or the mailbox token; only on this machine, without a mail server',
  },
  { routes: / \/metrics$/, pass: '', why: 'the metrics_token of keys.json, and no key' },
  { routes: /^GET \/dev\/mail(\/:id)?$/, pass: '', why: 'the token of the mailbox, and no key' },
  {
    routes: / \/mail\/unsubscribe$/,
    pass: 'naus',
    why: 'the signed link of a mail is the proof: 400 without',
  },
  {
    routes: / \/book(-embedded)?(\/:service)?$/,
    pass: 'naus',
    why: 'the booking page, for everybody',
  },
  {
    routes: / \/booking(\.ics|\/confirm)?$/,
    pass: 'naus',
    why: 'the signed link of a confirmation is the proof: 404 without',
  },
  {
    routes: /^GET \/site-preview\//,
    pass: 'naus',
    why: 'the token in the address is the proof: 404 without',
  },
  { routes: /\/\.well-known\//, pass: 'naus', why: 'public keys, and whom to write to' },
  { routes: / \/favicon\.ico$/, pass: 'naus', why: 'the icon' },
  { routes: / \/auth\/v1\/(health|settings)$/, pass: 'naus', why: 'what a sign-in page has to know' },
  { routes: /^GET \/auth\/v1\/verify$/, pass: 'naus', why: 'links of mails: the token is the proof' },
  {
    routes: / \/auth\/v1\/keep$/,
    pass: 'naus',
    why: 'the signed link of the mail about a deletion is the proof: 404 without',
  },
  {
    routes: / \/auth\/v1\/(authorize|callback|(sso\/)?saml\/(metadata|acs))$/,
    pass: 'naus',
    why: 'browsers on their way to a provider and back: the state is the proof',
  },
  {
    routes: / \/auth\/v1\/(user\/)?oauth\/\*$/,
    pass: 'naus',
    why: 'Northline is no OAuth server: 404 for all',
  },
  { routes: / \/auth\/v1\/(admin\/|invite$)/, pass: 's', why: 'administration of accounts' },
  {
    routes:
      / \/auth\/v1\/(passkeys(\/registration\/\w+|\/:passkeyId)?|user|logout|reauthenticate|factors(\/.*)?|sessions(\/.*)?|user\/.*)$/,
    pass: 'u',
    why: 'only a user has a session',
  },
  { routes: /^(POST|PUT) \/auth\/v1\//, pass: 'aus', why: 'signing up and in, with any key' },
  { routes: / \/functions\/v1\/\*$/, pass: 'naus', why: 'there is no such function' },
  {
    routes:
      / \/functions\/v1\/(team|create-team|rename-team|invite-member|withdraw-invitation|claim-console|accept-console-invitation|accept-invitation|change-member|remove-member|pay-for-team|delete-account|keep-account|export-account|link-customer|billing-portal|open-billing-portal|billing-overview|preview-plan-change|change-plan|cancel-subscription|resume-subscription|credit-packs|buy-credits|billing-details|save-billing-details|download-invoice|analyze|split-document|analysis-queue|correct-fact|search-documents|similar-documents|compare-documents|export-report|searchable-pdf|share-report|withdraw-share|list-invoices|mark-invoice|export-invoices|forget-correction|define-own-field|remove-own-field|teach-own-field|own-field-table|export-own-fields|list-rules|save-rule|remove-rule|try-rule|ask-documents|delete-analysis|course-message|send-message|push-devices|push-subscribe|push-unsubscribe|own-bookings|api-keys|create-api-key|end-api-key|list-documents|read-document)$/,
    pass: 'u',
    why: 'about an account',
  },
  {
    routes: / \/functions\/v1\/(inbox|(new|ask|prove|remove)-inbox-(address|sender))$/,
    pass: 'u',
    why: 'about an account: the address for documents by mail and its senders',
  },
  { routes: / \/mcp$/, pass: '', why: 'an API key, none of these' },
  { routes: / \/functions\/v1\/report-schema$/, pass: 'naus', why: 'a description, the same for all' },
  {
    routes: / \/functions\/v1\/operator-(settings|save-settings|try-settings|restart|\w+-colleague|leave)$/,
    pass: '',
    why: 'settings and colleagues are for a person with a second factor, and not for a key: setting-functions.test.ts',
  },
  {
    routes: / \/functions\/v1\/operator-[a-z.-]+$/,
    pass: 's',
    why: 'the console: operators are tested in act.test.ts',
  },
  { routes: / \/functions\/v1\/(reconcile|operate)-billing$/, pass: 's', why: 'the operator' },
  { routes: / \/functions\/v1\/[a-z-]+$/, pass: 'aus', why: 'visitors use the public key' },
  {
    routes: /^(DELETE|PATCH|PUT) \/rest\/v1\/rpc\//,
    pass: 'aus',
    why: 'procedures are called by GET and POST: 405',
  },
  {
    routes: /^(DELETE|PATCH|POST|PUT) \/rest\/v1\/$/,
    pass: 'aus',
    why: 'the description of the API is only read: 405',
  },
  {
    routes: /^POST \/rest\/v1\/:name$/,
    pass: 's',
    why: 'news are written by the operator; other tables are below',
    path: '/rest/v1/news_posts',
    body: { title: 'Said', content: 'by a test', url: '/' },
  },
  { routes: /^(GET|HEAD) \/rest\/v1\/:name$/, pass: 'us', why: 'rows of users', path: '/rest/v1/user_files' },
  { routes: / \/graphql\/v1$/, pass: 'aus', why: 'refused in the same words, with any key' },
  { routes: / \/rest\/v1(\/.*)?$/, pass: 'aus', why: 'row rights decide, see below' },
  {
    routes:
      /^(GET \/storage\/v1\/object\/(public|sign|info\/public)|PUT \/storage\/v1\/object\/upload\/sign)\//,
    pass: 'naus',
    why: 'public bucket, or the signature is the proof',
  },
  {
    routes: /^POST \/storage\/v1\/bucket$/,
    pass: 's',
    why: 'buckets are made by the operator',
    body: { id: 'made-by-test', name: 'made-by-test', public: false },
  },
  { routes: /^(PUT|DELETE) \/storage\/v1\/bucket\//, pass: 's', why: 'buckets are changed by the operator' },
  { routes: /^DELETE \/storage\/v1\/cdn(\/|$)/, pass: 's', why: 'caches are purged by the operator' },
  {
    routes: /^GET \/storage\/v1\/bucket\/:id\/lifecycle$/,
    pass: 's',
    why: 'buckets are kept by the operator',
  },
  { routes: / \/storage\/v1\/s3(\/|$)/, pass: 'naus', why: 'the S3 protocol is not spoken: 409 for all' },
  { routes: / \/storage\/v1\/render\//, pass: 'naus', why: 'pictures are not transformed: 409 for all' },
  {
    routes: / \/storage\/v1\/upload\/resumable/,
    pass: 'naus',
    why: '412 to every client that does not speak the protocol; who may upload is in resume-upload.test.ts',
  },
  {
    routes: /^GET \/storage\/v1\/(status|version)$/,
    pass: 'naus',
    why: 'says that the service is up, the same to all',
  },
  { routes: / \/storage\/v1\//, pass: 'aus', why: 'row rights decide; what is hidden is 404' },
  { routes: / \/realtime\/v1/, pass: 'aus', why: 'row rights decide what is heard' },
  { routes: /^GET \/voice\/v1\/openapi\.json$/, pass: 'naus', why: 'a description, the same for all' },
  {
    routes: / \/voice\/v1\/(geo$|room\/|monitor\/)/,
    pass: 'naus',
    why: 'the address of a room or a monitor is the proof',
  },
  {
    routes: / \/voice\/v1\/website\//,
    pass: 'naus',
    why: 'the origin of a page is the proof: website.test.ts',
  },
  {
    routes: /^POST \/voice\/v1\/connection-test\/offer$/,
    pass: 'naus',
    why: 'a connection test has one participant',
  },
  {
    routes: /^POST \/voice\/v1\/inbound\//,
    pass: 'naus',
    why: 'the address that a provider was told is the proof',
  },
  { routes: / \/voice\/v1\//, pass: '', why: 'the voice keys, none of these' },
  { routes: / \/embedded\//, pass: '', why: 'signed like a request to an external automation' },
  { routes: / \/webhooks\//, pass: 'naus', why: 'providers sign or bring a token: 400 or 404 without' },
  { routes: / \/test-provider\/v1\//, pass: '', why: "the provider's own secret key, none of ours" },
  { routes: / \/test-provider\//, pass: 'naus', why: 'pages of the provider: the address is the secret' },
];

let app: TestApp;
const email = `${randomUUID()}@customers.example`;
const password = `harbour lantern ${randomUUID()}`;
beforeAll(async () => {
  app = await startTestApp();
  const { error } = await newClient().auth.signUp({ email, password });
  expect(error).toBeNull();
});
afterAll(() => app.close());

const newClient = (key = app.anonKey) =>
  createClient(app.url, key, { auth: { persistSession: false, autoRefreshToken: false } });

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Every route, as `POST /functions/v1/enquiry`, each once. */
const testedRoutes = (): string[] => [
  ...new Set(app.routes.filter((route) => METHODS.includes(route.split(' ')[0] ?? ''))),
];
/** The first part of the address; a test of each keeps below the time that a test has. */
const AREAS = ['auth', 'functions', 'voice', 'others'] as const;
const areaOf = (route: string): string => {
  const [, first = ''] = route.split('/');
  return AREAS.find((area) => area === first) ?? 'others';
};

test('every route has a rule in the table', () => {
  const routes = testedRoutes();
  expect(routes.length).toBeGreaterThan(30);
  expect(routes.filter((route) => !RULES.some((rule) => rule.routes.test(route)))).toEqual([]);
});

test.each(AREAS)('every route accepts exactly the callers that the table names: %s', async (area) => {
  const routes = testedRoutes().filter((route) => areaOf(route) === area);
  expect(routes).not.toEqual([]);
  const found: string[] = [];
  for (const route of routes) {
    const rule = RULES.find(({ routes: named }) => named.test(route));
    if (rule === undefined) continue;
    const passed = await whoPasses(route, rule);
    if (passed !== rule.pass) found.push(`${route}: "${passed}" passed, "${rule.pass}" should (${rule.why})`);
  }
  expect(found).toEqual([]);
});

/** The words of docs/platform.md for the callers of a function. */
const NEEDS: Readonly<Record<string, string>> = { u: 'session', aus: 'key', s: 'server', naus: 'nothing' };

test('docs/platform.md lists every function, its method and what a caller shows', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/platform.md'), 'utf8');
  const listed = [...page.matchAll(/^\| `([a-z-]+)` \| (GET|POST) \| (\w+) \|/gm)].map(
    ([, name, method, needs]) => `${method} ${name} ${needs}`,
  );
  const mounted = testedRoutes().flatMap((route) => {
    const [method = '', name = ''] = route.split(' /functions/v1/');
    if (name === '' || name === '*' || name.startsWith('operator-')) return [];
    const { pass = '' } = RULES.find(({ routes }) => routes.test(route)) ?? {};
    return [`${method} ${name} ${NEEDS[pass]}`];
  });
  expect(listed.toSorted()).toEqual(mounted.toSorted());
});

/** Which roles may call a function of the console: o an owner, s staff, r a reader. The first rule that matches applies. */
const CONSOLE_RULES: readonly { readonly names: RegExp; readonly pass: string; readonly why: string }[] = [
  { names: /settings$/, pass: 'o', why: 'secrets, money and mail' },
  { names: /^restart$/, pass: 'o', why: 'the site is away for seconds' },
  { names: /-colleague$/, pass: 'o', why: 'who may do what' },
  {
    names: /^(audit|api-keys|end-api-key)$/,
    pass: 'o',
    why: 'what everybody did, and the keys of everybody',
  },
  { names: /^refund$/, pass: 'o', why: 'money that leaves' },
  {
    names: /^delete-(call|meeting-recording|assistant|tool|campaign)$/,
    pass: 'o',
    why: 'what cannot be had back',
  },
  { names: /-?credentials?$/, pass: 'o', why: 'keys that cost money' },
  { names: /^(save|try)-tool$/, pass: 'os', why: 'what assistants may do' },
  { names: /^(save|end)-campaign$/, pass: 'os', why: 'whom assistants call' },
  { names: /^demo-data$/, pass: 'o', why: 'invented people in all lists' },
  {
    names: /^(keep-draft|check-logo|content-names|(import|preview|publish)-content)$/,
    pass: 'o',
    why: 'the site with its prices and legal pages',
  },
  { names: /^(act|enquiries\.csv|portal|portal-file)$/, pass: 'os', why: 'the daily work' },
  { names: /^(book-call|move-booking|send-message|read-thread)$/, pass: 'os', why: 'the daily work' },
  { names: /^(lesson-answer|lesson-state|save-news|delete-news)$/, pass: 'os', why: 'the daily work' },
  { names: /^(end-call|direct-call|call-headset)$/, pass: 'os', why: 'calls that go on' },
  {
    names: /^((save|restore|try)-assistant|add-file|voice-preview|save-test|delete-test|run-tests)$/,
    pass: 'os',
    why: 'what the assistants say',
  },
  { names: /^/, pass: 'osr', why: 'reading, and leaving the console' },
];

test('every function of the console accepts exactly the roles that the table names', async () => {
  claims('Owners refund invoices.', 'Owners and staff can open it.');
  const routes = testedRoutes().filter((route) => route.includes('/functions/v1/operator-'));
  const nameOf = (route: string): string => route.split('operator-')[1] ?? '';
  expect(routes.map(nameOf).toSorted()).toEqual(Object.keys(LEAST_ROLES).toSorted());
  const callers = await Promise.all(
    OPERATOR_ROLES.map(async (role) => {
      const { data } = await (await newOperator(app, role)).client.auth.getSession();
      return { letter: role.charAt(0), token: data.session?.access_token };
    }),
  );
  const found: string[] = [];
  for (const route of routes) {
    const [method = '', path = ''] = route.split(' ');
    let passed = '';
    for (const { letter, token } of callers) {
      const reply = await fetch(app.url + path, {
        method,
        headers: {
          apikey: app.anonKey,
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
        },
        ...(method === 'POST' && { body: '{}' }),
      });
      if (!(await reply.text()).includes(ROLE_TOO_LOW)) passed += letter;
      else expect(reply.status).toBe(403);
    }
    const rule = CONSOLE_RULES.find(({ names }) => names.test(nameOf(route)));
    if (passed !== rule?.pass)
      found.push(`${route}: "${passed}" passed, "${rule?.pass}" should (${rule?.why})`);
  }
  expect(found).toEqual([]);
});

async function whoPasses(route: string, rule: Rule): Promise<string> {
  const [method = '', pattern = ''] = route.split(' ');
  const path = rule.path ?? pattern.replace(/:[a-zA-Z]+/g, () => randomUUID()).replace('*', 'some/thing.txt');
  // A separate session, because the routes under test end sessions.
  const { data } = await newClient().auth.signInWithPassword({ email, password });
  const callers: Record<string, Record<string, string>> = {
    n: {},
    a: { apikey: app.anonKey },
    u: { apikey: app.anonKey, authorization: `Bearer ${data.session?.access_token}` },
    s: { apikey: app.serviceKey, authorization: `Bearer ${app.serviceKey}` },
  };
  let passed = '';
  for (const [letter, headers] of Object.entries(callers)) {
    const answer = await fetch(app.url + path, {
      method,
      redirect: 'manual',
      headers: { ...headers, ...(method === 'GET' ? {} : { 'content-type': 'application/json' }) },
      ...(method === 'GET' ? {} : { body: JSON.stringify(rule.body ?? {}) }),
    });
    if (!isRefusal(answer.status, await answer.text())) passed += letter;
    expect(answer.status, `${route} must not break`).not.toBe(500);
  }
  return passed;
}

test('an API key opens the functions of its rights and /mcp, and every other route refuses it in the same words', async () => {
  const operator = await newOperator(app);
  const all = await newApiKey(operator, API_RIGHTS);
  const keys = new Map(
    await Promise.all(
      API_RIGHTS.map(async (right) => [right, (await newApiKey(operator, [right])).key] as const),
    ),
  );
  const send = async (method: string, path: string, key: string, body: object) => {
    const reply = await fetch(app.url + path, {
      method,
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${key}`,
        ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
      },
      ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
    });
    return { status: reply.status, text: await reply.text() };
  };
  const found: string[] = [];
  const opened = new Set<string>();
  for (const route of new Set(app.routes)) {
    const [method = '', pattern = ''] = route.split(' ');
    if (!METHODS.includes(method)) continue;
    const rule = RULES.find(({ routes }) => routes.test(route));
    const path =
      rule?.path ?? pattern.replace(/:[a-zA-Z]+/g, () => randomUUID()).replace('*', 'some/thing.txt');
    const name = /^\/functions\/v1\/([a-z-]+)$/.exec(pattern)?.[1] ?? '';
    const wanted = FUNCTION_RIGHTS[name];
    if (wanted === undefined) {
      // What needs no key at all ignores one.
      if (rule === undefined || rule.pass.startsWith('n') || pattern === '/mcp') continue;
      const { status, text } = await send(method, path, all.key, rule.body ?? {});
      const isOther = / \/(metrics|dev\/|embedded\/|test-provider\/)/.test(route);
      if (isOther ? ![401, 403, 404].includes(status) : !text.includes('API keys open /mcp'))
        found.push(`${route}: ${status} ${text.slice(0, 80)}`);
      continue;
    }
    opened.add(name);
    const actions = typeof wanted === 'string' ? [[undefined, wanted] as const] : Object.entries(wanted);
    for (const [action, right] of actions) {
      for (const [held, key] of keys) {
        const { status, text } = await send(method, path, key, action === undefined ? {} : { do: action });
        const isRefused = status === 403 && text.includes('right_missing');
        if (isRefused !== (held !== right)) found.push(`${route} ${action ?? ''} with ${held}: ${status}`);
      }
    }
  }
  expect(found).toEqual([]);
  expect([...opened].sort()).toEqual(Object.keys(FUNCTION_RIGHTS).sort());
});

/**
 * Storage has its real status in the body (docs/contracts/platform.md §3), and 400 for a caller without any
 * key.
 */
function isRefusal(status: number, body: string): boolean {
  if (body.includes("required property 'authorization'")) return true;
  const inBody = /"statusCode":"(\d+)"/.exec(body)?.[1];
  return [401, 403].includes(inBody === undefined ? status : Number(inBody));
}

/** To whom each table and view of the API shows rows: only `own` rows, all rows, or none. */
const TABLES: Readonly<Record<string, { anon: boolean; user: 'own' | 'all' | 'none' }>> = {
  analysis_corrections: { anon: false, user: 'own' },
  analysis_index: { anon: false, user: 'own' },
  analysis_invoice_marks: { anon: false, user: 'own' },
  analysis_passages: { anon: false, user: 'own' },
  analysis_reports: { anon: false, user: 'own' },
  analysis_shares: { anon: false, user: 'own' },
  bookings: { anon: false, user: 'none' },
  correction_precedents: { anon: false, user: 'own' },
  course_lessons: { anon: false, user: 'own' },
  course_messages: { anon: false, user: 'own' },
  course_uploads: { anon: false, user: 'own' },
  courses: { anon: false, user: 'own' },
  credit_transactions: { anon: false, user: 'own' },
  customers: { anon: false, user: 'own' },
  document_rules: { anon: false, user: 'own' },
  enquiries: { anon: false, user: 'none' },
  file_tags: { anon: false, user: 'own' },
  files: { anon: false, user: 'own' },
  listed_fields: { anon: false, user: 'own' },
  live_call_words: { anon: false, user: 'own' },
  live_calls: { anon: false, user: 'own' },
  message_files: { anon: false, user: 'own' },
  messages: { anon: false, user: 'own' },
  news_posts: { anon: true, user: 'all' },
  own_field_values: { anon: false, user: 'own' },
  own_fields: { anon: false, user: 'own' },
  rule_runs: { anon: false, user: 'own' },
  subscriptions: { anon: false, user: 'own' },
  team_changes: { anon: false, user: 'own' },
  team_files: { anon: false, user: 'own' },
  team_members: { anon: false, user: 'own' },
  teams: { anon: false, user: 'own' },
  user_files: { anon: false, user: 'own' },
  user_subscription: { anon: false, user: 'own' },
};

test('every table of the API is in the table, protected by row rights, and nobody changes it without a policy', async () => {
  const rows = await app.resources.database.many(
    `select c.relname as name,
            c.relrowsecurity or coalesce(array_to_string(c.reloptions, ',') like '%security_invoker=true%', false) as guarded,
            has_table_privilege('anon', c.oid, 'select') as anon,
            has_table_privilege('authenticated', c.oid, 'select') or has_any_column_privilege('authenticated', c.oid, 'select') as user
     from pg_class c where c.relnamespace in ('public'::regnamespace, 'northline_app'::regnamespace) and c.relkind in ('r', 'v', 'm', 'p') order by 1`,
  );
  expect(rows.map(({ name }) => name)).toEqual(Object.keys(TABLES));
  for (const row of rows) {
    const { anon, user } = TABLES[row.name] ?? { anon: false, user: 'none' };
    expect(row, row.name).toEqual({ name: row.name, guarded: true, anon, user: user !== 'none' });
  }
  const written = await app.resources.database.many(
    `select distinct c.relname as name from pg_class c
     where c.relnamespace in ('public'::regnamespace, 'northline_app'::regnamespace) and c.relkind in ('r', 'p', 'v')
       and has_table_privilege('anon', c.oid, 'insert, update, delete, truncate')`,
  );
  expect(written).toEqual([]);
});

test('one customer sees, changes and deletes nothing of another', async () => {
  claims('It may have been deleted, or it belongs to another account.');
  const other = newClient();
  const { data } = await other.auth.signUp({ email: `${randomUUID()}@customers.example`, password });
  const owner = data.user?.id ?? '';
  await app.resources.database.run(
    'insert into public.customers (user_id, credits) values ($1, 7) on conflict (user_id) do update set credits = 7',
    [owner],
  );
  const user = newClient();
  await user.auth.signInWithPassword({ email, password });

  expect((await other.from('customers').select('credits')).data).toEqual([{ credits: 7 }]);
  expect((await user.from('customers').select('credits').eq('user_id', owner)).data).toEqual([]);
  await user.from('customers').update({ credits: 999 }).eq('user_id', owner);
  await other.from('customers').update({ credits: 999 }).eq('user_id', owner);
  await user.from('customers').delete().eq('user_id', owner);
  expect(
    (await user.rpc('use_credits', { p_user_id: owner, p_amount: 1, p_description: 'x' })).error,
  ).not.toBeNull();
  expect(
    (await newClient(app.serviceKey).from('customers').select('credits').eq('user_id', owner)).data,
  ).toEqual([{ credits: 7 }]);
});
