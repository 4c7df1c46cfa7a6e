import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fragmentOf, newWalker, type Walker } from '../../../../tests/support/auth/redirect-walk.ts';
import {
  newSamlIdp,
  type SamlForm,
  type SamlIdp,
  type SamlPerson,
} from '../../../../tests/support/auth/saml-idp.ts';
import { callAuth, newClient } from '../../../../tests/support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { checkAssertion } from './assertion-check.server.ts';
import { openAnswer } from './assertion-decryption.server.ts';
import { findSsoProvider, type SsoProviderRow } from './sso-provider-lookup.server.ts';

let app: TestApp;
let idp: SamlIdp;
let serviceMetadata = '';
let providerId = '';
beforeAll(async () => {
  app = await startTestApp({ settings: { AUTH_SAML: 'true', AUTH_AUTOCONFIRM: 'false' } });
  idp = newSamlIdp('https://idp.acme.example');
  const shown = await fetch(`${app.url}/auth/v1/sso/saml/metadata`);
  expect(shown.headers.get('content-type')).toContain('application/xml');
  serviceMetadata = await shown.text();
  const made = await admin('POST', '', {
    type: 'saml',
    metadata_xml: idp.metadata,
    domains: ['Acme.example'],
    attribute_mapping: { keys: { department: { name: 'dept', default: 'unknown' } } },
  });
  expect(made.status).toBe(201);
  providerId = String(made.body.id);
});
afterAll(() => app.close());

const admin = (method: string, path: string, body?: unknown) =>
  callAuth(app, method, `/admin/sso/providers${path}`, {
    bearer: app.serviceKey,
    ...(body === undefined ? {} : { body }),
  });

/** A client whose requests carry the cookies of a browser, as on the site itself. */
const clientOf = (walker: Walker): SupabaseClient =>
  createClient(app.url, app.anonKey, {
    auth: { autoRefreshToken: false, persistSession: false },
    global: { fetch: walker.fetch },
  });

let people = 0;
const newPerson = (more: Partial<SamlPerson> = {}): SamlPerson => {
  people += 1;
  return { nameId: `acme-${people}`, email: `worker-${people}@acme.example`, ...more };
};

/** Posts the identity provider's form; returns the address at which the browser arrives. */
async function post(walker: Walker, form: SamlForm): Promise<URL> {
  const reply = await walker.fetch(`${app.url}/auth/v1/sso/saml/acs`, {
    method: 'POST',
    body: new URLSearchParams({ ...form }),
    redirect: 'manual',
  });
  expect(reply.status).toBe(303);
  return new URL(reply.headers.get('location') ?? '');
}

async function answerFor(
  walker: Walker,
  person: SamlPerson,
  from = idp,
  domain = 'acme.example',
): Promise<SamlForm> {
  const { data, error } = await clientOf(walker).auth.signInWithSSO({ domain });
  expect(error).toBeNull();
  return from.answer(data?.url ?? '', serviceMetadata, person);
}

async function signIn(person: SamlPerson, from = idp): Promise<Record<string, string>> {
  const walker = newWalker();
  return fragmentOf(await post(walker, await answerFor(walker, person, from)));
}

test('a person of the company signs in by its domain, and gets the same account the next time', async () => {
  const person = newPerson();
  const fields = await signIn(person);
  expect(fields).toMatchObject({ token_type: 'bearer', sb: '' });
  const { data } = await newClient(app).auth.getUser(fields.access_token);
  expect(data.user).toMatchObject({
    email: person.email,
    app_metadata: { provider: `sso:${providerId}`, providers: [`sso:${providerId}`] },
    user_metadata: { custom_claims: { department: 'unknown' } },
    identities: [{ id: person.nameId, provider: `sso:${providerId}` }],
  });
  const claims = JSON.parse(Buffer.from(fields.access_token?.split('.')[1] ?? '', 'base64url').toString());
  expect(claims.amr).toMatchObject([{ method: 'sso/saml', provider: providerId }]);
  const again = await newClient(app).auth.getUser((await signIn(person)).access_token);
  expect(again.data.user?.id).toBe(data.user?.id);
  const change = await callAuth(app, 'PUT', '/user', {
    bearer: fields.access_token ?? '',
    body: { email: 'else@acme.example' },
  });
  expect([change.status, change.body.code]).toEqual([422, 'user_sso_managed']);
});

test('with PKCE the answer becomes a code, also without the browser’s cookie', async () => {
  const client = newClient(app, 'pkce');
  const { data } = await client.auth.signInWithSSO({
    providerId,
    options: { redirectTo: `${app.url}/login` },
  });
  const back = await post(newWalker(), await idp.answer(data?.url ?? '', serviceMetadata, newPerson()));
  expect(back.pathname).toBe('/login');
  const { error } = await client.auth.exchangeCodeForSession(back.searchParams.get('code') ?? '');
  expect(error).toBeNull();
});

test('a company’s account never joins the account of a person with the same address', async () => {
  const email = 'both@acme.example';
  const service = createClient(app.url, app.serviceKey, { auth: { persistSession: false } });
  const own = await service.auth.admin.createUser({ email, email_confirm: true });
  const { data } = await newClient(app).auth.getUser((await signIn(newPerson({ email }))).access_token);
  expect(data.user?.email).toBe(email);
  expect(data.user?.id).not.toBe(own.data.user?.id);
});

test.each<[string, Partial<SamlPerson>]>([
  ['for another service', { audience: 'https://other.example/metadata' }],
  ['for another address', { recipient: 'https://other.example/acs' }],
  ['for another request', { inResponseTo: '_another' }],
  ['by another issuer', { issuer: 'https://other.example' }],
  ['that has expired', { notBefore: -900, notOnOrAfter: -120 }],
  ['that is not valid yet', { notBefore: 120 }],
])('attack: an assertion %s is refused', async (_name, wrong) => {
  const fields = await signIn(newPerson(wrong));
  expect(fields).toMatchObject({
    error_code: 'validation_failed',
    error_description: 'SAML Assertion is not valid',
  });
});

test('a clock that is half a minute wrong is tolerated', async () => {
  expect((await signIn(newPerson({ notBefore: 30 }))).access_token).toBeTruthy();
  expect((await signIn(newPerson({ notBefore: -300, notOnOrAfter: -30 }))).access_token).toBeTruthy();
});

test('attack: an assertion of another key, without a signature, or changed after signing is refused', async () => {
  const impostor = newSamlIdp(idp.entityId);
  expect((await signIn(newPerson(), impostor)).error_code).toBe('validation_failed');
  const walker = newWalker();
  const person = newPerson();
  const changes: ((xml: string) => string)[] = [
    (xml) => xml.replace(/<ds:Signature.*?<\/ds:Signature>/gs, ''),
    (xml) => xml.replaceAll(person.nameId, 'somebody-else'),
    (xml) => `<!DOCTYPE x [<!ENTITY e "e">]>${xml}`,
  ];
  for (const change of changes) {
    const form = await answerFor(walker, person);
    const back = await post(walker, { ...form, SAMLResponse: rewritten(form, change) });
    expect(fragmentOf(back).error_code).toBe('validation_failed');
  }
});

test('attack: a signature by SHA-1 is refused', async () => {
  for (const [hash, expected] of [
    ['sha256', undefined],
    ['sha1', 'validation_failed'],
  ] as const) {
    const domain = `${hash}.example`;
    const other = newSamlIdp(`https://${domain}`, hash);
    await admin('POST', '', { type: 'saml', metadata_xml: other.metadata, domains: [domain] });
    const walker = newWalker();
    const form = await answerFor(walker, newPerson(), other, domain);
    expect(fragmentOf(await post(walker, form)).error_code, hash).toBe(expected);
  }
});

function rewritten({ SAMLResponse }: SamlForm, change: (xml: string) => string): string {
  const xml = Buffer.from(SAMLResponse, 'base64').toString();
  const changed = change(xml);
  expect(changed).not.toBe(xml);
  return Buffer.from(changed).toString('base64');
}

test('attack: a signed assertion wrapped into an answer about somebody else opens no account', async () => {
  const person = newPerson();
  const assertion = /<saml:Assertion.*<\/saml:Assertion>/s;
  const forged = (signed: string) =>
    signed
      .replace(/<ds:Signature.*?<\/ds:Signature>/gs, '')
      .replaceAll(person.nameId, 'victim')
      .replace(/ ID="[^"]+"/, ' ID="_forged"');
  const wrappings: ((signed: string) => string)[] = [
    (signed) => forged(signed) + signed,
    (signed) => signed + forged(signed),
    (signed) => forged(signed).replace('</saml:Assertion>', `${signed}</saml:Assertion>`),
    (signed) =>
      forged(signed).replace('<saml:Subject>', `<saml:Advice>${signed}</saml:Advice><saml:Subject>`),
    (signed) => `<samlp:Extensions>${signed}</samlp:Extensions>${forged(signed)}`,
    (signed) => {
      const signature = /<ds:Signature.*?<\/ds:Signature>/s.exec(signed)?.[0] ?? '';
      const object = `<ds:Object>${signed.replace(signature, '')}</ds:Object></ds:Signature>`;
      return forged(signed).replace(
        '<saml:Subject>',
        `${signature.replace('</ds:Signature>', object)}<saml:Subject>`,
      );
    },
  ];
  for (const [index, wrap] of wrappings.entries()) {
    const walker = newWalker();
    const form = await answerFor(walker, person);
    const wrapped = rewritten(form, (xml) => xml.replace(assertion, (signed) => wrap(signed)));
    const fields = fragmentOf(await post(walker, { ...form, SAMLResponse: wrapped }));
    expect([index, fields.error_code]).toEqual([index, 'validation_failed']);
  }
  const rows = await app.resources.database.many(
    "select 1 from auth.identities where provider_id = 'victim'",
  );
  expect(rows).toEqual([]);
});

test('a name with a comment inside is the whole name, not its beginning', async () => {
  const walker = newWalker();
  const form = await answerFor(walker, newPerson({ nameId: 'admin.evil' }));
  const commented = rewritten(form, (xml) => xml.replace('admin.evil<', 'admin<!-- -->.evil<'));
  const fields = fragmentOf(await post(walker, { ...form, SAMLResponse: commented }));
  if (fields.access_token !== undefined) {
    const { data } = await newClient(app).auth.getUser(fields.access_token);
    expect(data.user?.identities?.[0]?.id).toBe('admin.evil');
  } else expect(fields.error_code).toBe('validation_failed');
});

test('attack: an answer works once, in the browser that asked, and never unrequested', async () => {
  const walker = newWalker();
  const form = await answerFor(walker, newPerson());
  expect(fragmentOf(await post(walker, form)).access_token).toBeTruthy();
  expect(fragmentOf(await post(walker, form)).error_code).toBe('saml_relay_state_not_found');
  const other = await answerFor(walker, newPerson());
  expect(fragmentOf(await post(newWalker(), other)).error_code).toBe('bad_oauth_state');
  const unasked = await answerFor(walker, newPerson());
  expect(fragmentOf(await post(walker, { ...unasked, RelayState: '' })).error_code).toBe(
    'saml_relay_state_not_found',
  );
  // The same assertion again as the answer to a fresh request.
  const id = '_the-same-assertion';
  expect((await signIn(newPerson({ assertionId: id }))).access_token).toBeTruthy();
  expect((await signIn(newPerson({ assertionId: id }))).error_description).toBe(
    'SAML Assertion was used before',
  );
});

test('a person without an address is saml_assertion_no_email', async () => {
  const { email: _email, ...person } = newPerson();
  expect((await signIn(person)).error_code).toBe('saml_assertion_no_email');
});

test('attack: redirect_to outside the list leads to the site', async () => {
  const walker = newWalker();
  const { data } = await clientOf(walker).auth.signInWithSSO({
    domain: 'acme.example',
    options: { redirectTo: 'https://evil.example/' },
  });
  const back = await post(walker, await idp.answer(data?.url ?? '', serviceMetadata, newPerson()));
  expect(back.origin).toBe(app.url);
});

test('an unknown domain or provider is 404; both or neither is 400', async () => {
  const client = newClient(app);
  expect((await client.auth.signInWithSSO({ domain: 'nobody.example' })).error?.code).toBe(
    'sso_provider_not_found',
  );
  expect((await client.auth.signInWithSSO({ providerId: crypto.randomUUID() })).error?.code).toBe(
    'sso_provider_not_found',
  );
  for (const body of [{}, { domain: 'acme.example', provider_id: providerId }]) {
    const reply = await callAuth(app, 'POST', '/sso', { body });
    expect([reply.status, reply.body.code]).toEqual([400, 'validation_failed']);
  }
});

test('a browser without script is sent to the company, and the service’s metadata can be saved as a file', async () => {
  const asked = await fetch(`${app.url}/auth/v1/sso`, {
    method: 'POST',
    redirect: 'manual',
    headers: { apikey: app.anonKey, 'content-type': 'application/json' },
    body: JSON.stringify({ domain: 'acme.example' }),
  });
  expect(asked.status).toBe(303);
  expect(asked.headers.get('location')).toMatch(/^https:\/\/idp\.acme\.example\/login\?/);
  const saved = await fetch(`${app.url}/auth/v1/sso/saml/metadata?download=true`);
  expect(saved.headers.get('content-disposition')).toBe('attachment; filename="metadata.xml"');
});

test('attributes with several values become lists, and an answer after the company was removed opens nothing', async () => {
  const keys = {
    mails: { name: 'mail', array: true },
    groups: { name: 'groups', array: true, default: ['none'] },
  };
  await admin('PUT', `/${providerId}`, { attribute_mapping: { keys } });
  const person = newPerson();
  const { data } = await newClient(app).auth.getUser((await signIn(person)).access_token);
  expect(data.user?.user_metadata.custom_claims).toEqual({ mails: [person.email], groups: ['none'] });
  const walker = newWalker();
  const form = await answerFor(walker, person);
  expect((await admin('PUT', `/${providerId}`, { disabled: true })).status).toBe(200);
  const late = fragmentOf(await post(walker, form));
  expect((await admin('PUT', `/${providerId}`, { disabled: false })).status).toBe(200);
  expect(late).toMatchObject({ error_code: 'saml_idp_not_found' });
  expect(late.access_token).toBeUndefined();
});

test('a name for one visit only does not identify a person', async () => {
  const nameIdFormat = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
  expect((await signIn(newPerson({ nameIdFormat }))).error_code).toBe('saml_assertion_no_user_id');
});

test('a signed answer that nobody is signed in at the company signs nobody in', async () => {
  const walker = newWalker();
  const { data } = await clientOf(walker).auth.signInWithSSO({ domain: 'acme.example' });
  const form = await idp.nobody(data?.url ?? '', serviceMetadata);
  const xml = Buffer.from(form.SAMLResponse, 'base64').toString();
  expect(fragmentOf(await post(walker, form))).toMatchObject({ error_code: 'validation_failed' });
  // Signature and request are valid; the content of the answer is wrong.
  const provider = (await findSsoProvider(app.resources.database, providerId)) as SsoProviderRow;
  const requestId = /InResponseTo="([^"]+)"/.exec(xml)?.[1] ?? '';
  const answer = { requestId, response: form.SAMLResponse, key: undefined };
  await expect(checkAssertion(provider, app.url, answer)).rejects.toMatchObject({
    cause: { message: 'nobody in it' },
  });
});

test('a person whom the agency has banned is refused with the reason, and the refusal is logged', async () => {
  const person = newPerson();
  const { data } = await newClient(app).auth.getUser((await signIn(person)).access_token);
  await app.resources.database.run(
    "update auth.users set banned_until = now() + interval '1 hour' where id = $1",
    [data.user?.id],
  );
  expect((await signIn(person)).error_code).toBe('user_banned');
  const entries = await app.resources.database.many(
    "select payload from auth.audit_log_entries where action = 'login_failed' and payload ->> 'provider' = $1",
    [`sso:${providerId}`],
  );
  expect(entries).toMatchObject([{ payload: { cause: 'user_banned' } }]);
});

test('for an assertion that was encrypted for somebody else the log says which setting is missing', async () => {
  const xml = '<saml:EncryptedAssertion><xenc:EncryptedData/></saml:EncryptedAssertion>';
  await expect(openAnswer(xml, undefined)).rejects.toThrow(
    'an encrypted assertion, and AUTH_SAML_KEY_FILE is empty',
  );
});
