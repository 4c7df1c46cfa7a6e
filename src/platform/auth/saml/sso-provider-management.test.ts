import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { newSamlIdp } from '../../../../tests/support/auth/saml-idp.ts';
import { callAuth, newClient } from '../../../../tests/support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { refreshMetadata } from './sso-provider-management.server.ts';

let app: TestApp;
let server: http.Server;
let served = '';
let host = '';
beforeAll(async () => {
  server = http.createServer((_request, response) => {
    response.writeHead(served === '' ? 404 : 200, { 'content-type': 'application/xml' }).end(served);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  app = await startTestApp({ settings: { AUTH_SAML: 'true', OUTBOUND_ALLOW_HOSTS: host } });
});
afterAll(async () => {
  await app.close();
  server.closeAllConnections();
  server.close();
});

const call = (method: string, path = '', body?: unknown) =>
  callAuth(app, method, `/admin/sso/providers${path}`, {
    bearer: app.serviceKey,
    ...(body === undefined ? {} : { body }),
  });

test('a provider is made, listed, shown, changed and removed', async () => {
  const idp = newSamlIdp('https://one.example');
  const made = await call('POST', '', { type: 'saml', metadata_xml: idp.metadata, domains: ['one.example'] });
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({
    saml: { entity_id: 'https://one.example', metadata_xml: idp.metadata, attribute_mapping: {} },
    domains: [{ domain: 'one.example' }],
  });
  const id = String(made.body.id);
  const listed = (await call('GET')).body as { items?: { id: string; saml: object }[] };
  expect(listed.items?.find((item) => item.id === id)?.saml).not.toHaveProperty('metadata_xml');
  const changed = await call('PUT', `/${id}`, {
    domains: ['one.example', 'two.example'],
    attribute_mapping: { keys: { email: { name: 'mail' } } },
  });
  expect(changed.body).toMatchObject({
    saml: { attribute_mapping: { keys: { email: { name: 'mail' } } }, metadata_xml: idp.metadata },
    domains: [{ domain: 'one.example' }, { domain: 'two.example' }],
  });
  expect((await call('GET', `/${id}`)).body).toEqual(changed.body);
  await call('PUT', `/${id}`, { resource_id: 'first-customer' });
  expect((await call('GET', '/resource_first-customer')).body).toMatchObject({
    id,
    resource_id: 'first-customer',
  });
  expect((await call('GET', '/resource_second-customer')).body.code).toBe('sso_provider_not_found');
  expect((await call('DELETE', `/${id}`)).body).toMatchObject({ id });
  expect((await call('GET', `/${id}`)).body.code).toBe('sso_provider_not_found');
  expect((await newClient(app).auth.signInWithSSO({ domain: 'two.example' })).error?.code).toBe(
    'sso_provider_not_found',
  );
});

test('an entity or a domain belongs to one provider, and a provider keeps its entity', async () => {
  const metadata_xml = newSamlIdp('https://three.example').metadata;
  const made = await call('POST', '', { type: 'saml', metadata_xml, domains: ['three.example'] });
  const again = await call('POST', '', { type: 'saml', metadata_xml });
  expect([again.status, again.body.code]).toEqual([422, 'saml_idp_already_exists']);
  const other = newSamlIdp('https://four.example').metadata;
  const taken = await call('POST', '', { type: 'saml', metadata_xml: other, domains: ['three.example'] });
  expect([taken.status, taken.body.code]).toEqual([422, 'sso_domain_already_exists']);
  const moved = await call('PUT', `/${made.body.id}`, { metadata_xml: other });
  expect([moved.status, moved.body.code]).toEqual([400, 'saml_entity_id_mismatch']);
  const refused = { status: 400, body: { message: "resource_id 'mine' belongs to another provider" } };
  await call('PUT', `/${made.body.id}`, { resource_id: 'mine' });
  expect(await call('POST', '', { type: 'saml', metadata_xml: other, resource_id: 'mine' })).toMatchObject(
    refused,
  );
  const second = await call('POST', '', { type: 'saml', metadata_xml: other, resource_id: 'theirs' });
  expect(await call('PUT', `/${second.body.id}`, { resource_id: 'mine' })).toMatchObject(refused);
  // The request may name the provider's own domains again.
  const kept = await call('PUT', `/${made.body.id}`, { domains: ['three.example', 'THREE.example'] });
  expect(kept.body).toMatchObject({ domains: [{ domain: 'three.example' }] });
});

test('metadata can come from an address; a private one only if the operator allows it', async () => {
  served = newSamlIdp('https://five.example').metadata;
  const made = await call('POST', '', { type: 'saml', metadata_url: `http://${host}/metadata` });
  expect(made.body).toMatchObject({
    saml: { entity_id: 'https://five.example', metadata_url: `http://${host}/metadata` },
  });
  served = '';
  for (const metadata_url of [`http://${host}/gone`, 'http://169.254.169.254/latest', 'file:///etc/passwd']) {
    const refused = await call('POST', '', { type: 'saml', metadata_url });
    expect([refused.status, refused.body.code]).toEqual([400, 'saml_metadata_fetch_failed']);
  }
});

test.each([
  ['no type', {}],
  ['nothing', { type: 'saml' }],
  ['no XML', { type: 'saml', metadata_xml: 'hello' }],
  [
    'a document type',
    { type: 'saml', metadata_xml: '<!DOCTYPE a [<!ENTITY b "c">]><EntityDescriptor entityID="&b;"/>' },
  ],
  ['no identity provider', { type: 'saml', metadata_xml: '<EntityDescriptor entityID="x"/>' }],
  [
    'an invalid domain',
    { type: 'saml', metadata_xml: newSamlIdp('https://six.example').metadata, domains: ['not a domain'] },
  ],
])('%s is 400 validation_failed', async (_name, body) => {
  const refused = await call('POST', '', body);
  expect([refused.status, refused.body.code]).toEqual([400, 'validation_failed']);
});

const GOOD = newSamlIdp('https://seven.example').metadata;

test.each([
  ['has no entityID', GOOD.replace(/ entityID="[^"]*"/, '')],
  ['is not valid any more', GOOD.replace(' entityID', ' validUntil="2020-01-01T00:00:00Z" entityID')],
  ['must hold one EntityDescriptor', `<EntitiesDescriptor>${GOOD}${GOOD}</EntitiesDescriptor>`],
  ['names no SingleSignOnService', GOOD.replaceAll('bindings:HTTP-Redirect', 'bindings:HTTP-POST')],
  ['names no SingleSignOnService', GOOD.replaceAll('https://seven.example/login', 'javascript:alert(1)')],
  ['has no certificate for signing', GOOD.replaceAll('use="signing"', 'use="encryption"')],
  ['has a certificate that cannot be read', GOOD.replace(/(X509Certificate>)[^<]+</, '$1AAAA<')],
  ['is too large', GOOD.replace('</', `<!--${'x'.repeat(256 * 1024)}--></`)],
  ['is not well-formed XML', GOOD.replace(/<\/\w*:?EntityDescriptor>/, '')],
])('metadata_xml that %s is refused with these words', async (words, metadata_xml) => {
  expect(metadata_xml).not.toBe(GOOD);
  const refused = await call('POST', '', { type: 'saml', metadata_xml });
  expect(refused).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
  expect(refused.body.message).toContain(`metadata_xml ${words}`);
});

test('metadata comes in one way only, and a list with one provider counts as that provider', async () => {
  const both = { type: 'saml', metadata_xml: GOOD, metadata_url: `http://${host}/metadata` };
  expect((await call('POST', '', both)).body.message).toContain('Only one of metadata_xml or metadata_url');
  served = 'x'.repeat(300 * 1024);
  const long = await call('POST', '', { type: 'saml', metadata_url: `http://${host}/long` });
  expect(long.body).toMatchObject({
    code: 'saml_metadata_fetch_failed',
    message: 'Unable to fetch metadata. It is too long.',
  });
  served = '';
  const metadata_xml = `<EntitiesDescriptor>${GOOD}</EntitiesDescriptor>`;
  const made = await call('POST', '', { type: 'saml', metadata_xml });
  expect(made.body).toMatchObject({ saml: { entity_id: 'https://seven.example' } });
});

test('a new key in a provider’s metadata is followed; another entity, nonsense and silence are not', async () => {
  const entity = 'https://eight.example';
  const [before, after] = [newSamlIdp(entity).metadata, newSamlIdp(entity).metadata];
  served = before;
  const made = await call('POST', '', { type: 'saml', metadata_url: `http://${host}/renewed` });
  const kept = async () =>
    ((await call('GET', `/${made.body.id}`)).body as { saml?: { metadata_xml: string } }).saml?.metadata_xml;
  expect(await kept()).toBe(before);
  for (served of [newSamlIdp('https://another.example').metadata, 'nonsense', '']) {
    await refreshMetadata(app);
    expect(await kept()).toBe(before);
  }
  served = after;
  await refreshMetadata(app);
  expect(await kept()).toBe(after);
  // No route does this: a process does it in the periodic round that also sweeps expired data.
  served = before;
  const { database } = app.resources;
  await database.run(
    "insert into auth.used_assertions (hash, expires_at) values ('\\x01', now() - interval '1 day')",
  );
  await database.run(
    "delete from private.periodic_rounds where task in ('metadata of identity providers', 'expired sign-in data')",
  );
  const other = await startTestApp({
    beside: app,
    settings: { AUTH_SAML: 'true', OUTBOUND_ALLOW_HOSTS: host },
  });
  onTestFinished(() => other.close());
  await expect.poll(kept).toBe(before);
  await expect
    .poll(() => database.many("select 1 from auth.used_assertions where hash = '\\x01'"))
    .toEqual([]);
  served = '';
});

test('only the service key may, and nobody while SAML is off', async () => {
  expect((await callAuth(app, 'GET', '/admin/sso/providers', { bearer: app.anonKey })).status).toBe(403);
  const plain = await startTestApp();
  try {
    const refused = [
      await callAuth(plain, 'GET', '/admin/sso/providers', { bearer: plain.serviceKey }),
      await callAuth(plain, 'POST', '/sso', { body: { domain: 'acme.example' } }),
      await callAuth(plain, 'GET', '/sso/saml/metadata'),
      await callAuth(plain, 'GET', '/saml/metadata'),
      await callAuth(plain, 'POST', '/sso/saml/acs', { body: { SAMLResponse: 'x' } }),
      await callAuth(plain, 'POST', '/saml/acs', { body: { SAMLResponse: 'x' } }),
    ];
    for (const { status, body } of refused)
      expect([status, body.code]).toEqual([404, 'saml_provider_disabled']);
  } finally {
    await plain.close();
  }
});
