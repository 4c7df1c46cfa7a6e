import { generateKeyPairSync } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { fragmentOf, newWalker } from '../../../../tests/support/auth/redirect-walk.ts';
import { newSamlIdp, type SamlIdp } from '../../../../tests/support/auth/saml-idp.ts';
import { callAuth, newClient } from '../../../../tests/support/customers/auth-client.ts';
import { selfSignedCertificate } from '../../../../tests/support/servers/self-signed-certificate.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { readSamlKey } from './saml-key.server.ts';

const file = path.join(os.tmpdir(), `northline-saml-${process.pid}-${crypto.randomUUID()}.pem`);
const own = selfSignedCertificate('service.test');
let app: TestApp;
beforeAll(async () => {
  writeFileSync(file, `${own.certificate}${own.privateKey}`, { mode: 0o600 });
  app = await startTestApp({ settings: { AUTH_SAML: 'true', AUTH_SAML_KEY_FILE: file } });
});
afterAll(async () => {
  await app?.close();
  rmSync(file, { force: true });
});

const metadataOf = async (): Promise<string> => (await fetch(`${app.url}/auth/v1/sso/saml/metadata`)).text();

async function enrol(idp: SamlIdp, domain: string): Promise<void> {
  const body = { type: 'saml', metadata_xml: idp.metadata, domains: [domain] };
  const made = await callAuth(app, 'POST', '/admin/sso/providers', { bearer: app.serviceKey, body });
  expect(made.status).toBe(201);
}

/** Signs a person in; `change` alters the answer on its way. */
async function signIn(
  idp: SamlIdp,
  domain: string,
  { change = (xml: string) => xml, metadata }: { change?: (xml: string) => string; metadata?: string } = {},
): Promise<Record<string, string>> {
  const walker = newWalker();
  const client = createClient(app.url, app.anonKey, {
    auth: { autoRefreshToken: false, persistSession: false },
    global: { fetch: walker.fetch },
  });
  const { data } = await client.auth.signInWithSSO({ domain });
  const person = { nameId: `person of ${domain}`, email: `worker@${domain}` };
  const form = await idp.answer(data?.url ?? '', metadata ?? (await metadataOf()), person);
  const xml = Buffer.from(form.SAMLResponse, 'base64').toString();
  const reply = await walker.fetch(`${app.url}/auth/v1/sso/saml/acs`, {
    method: 'POST',
    body: new URLSearchParams({ ...form, SAMLResponse: Buffer.from(change(xml)).toString('base64') }),
    redirect: 'manual',
  });
  return fragmentOf(new URL(reply.headers.get('location') ?? ''));
}

test('the metadata offers the certificate for signatures and for encryption', async () => {
  const metadata = await metadataOf();
  const certificate = own.certificate.replace(/-----.*-----|\n/g, '');
  expect(metadata.replace(/\s/g, '').split(certificate)).toHaveLength(3);
  expect(metadata).toContain('AuthnRequestsSigned="true"');
  expect(metadata).not.toContain('PRIVATE');
});

test('people of an identity provider that requires signed requests and encrypts its assertions can sign in', async () => {
  const idp = newSamlIdp('https://idp.strict.example', 'sha256', { encrypted: true, wantsSigned: true });
  await enrol(idp, 'strict.example');
  let sent = '';
  const fields = await signIn(idp, 'strict.example', {
    change(xml) {
      sent = xml;
      return xml;
    },
  });
  expect(sent).toContain('EncryptedAssertion');
  expect(sent).not.toContain('worker@strict.example');
  const { data } = await newClient(app).auth.getUser(fields.access_token);
  expect(data.user?.email).toBe('worker@strict.example');
});

test('the rules apply inside the encryption: SHA-1, weak algorithms, foreign keys, two assertions, comments', async () => {
  const refused = async (
    idp: SamlIdp,
    domain: string,
    more: Parameters<typeof signIn>[2] = {},
  ): Promise<void> => {
    const fields = await signIn(idp, domain, more);
    expect(fields).toMatchObject({ error_code: 'validation_failed' });
    expect(fields.access_token).toBeUndefined();
  };
  const sha1 = newSamlIdp('https://idp.sha1.example', 'sha1', { encrypted: true });
  await enrol(sha1, 'sha1.example');
  await refused(sha1, 'sha1.example');
  const weak = newSamlIdp('https://idp.weak.example', 'sha256', {
    encrypted: true,
    keyEncryption: 'http://www.w3.org/2001/04/xmlenc#rsa-1_5',
  });
  await enrol(weak, 'weak.example');
  await refused(weak, 'weak.example');
  const idp = newSamlIdp('https://idp.odd.example', 'sha256', { encrypted: true });
  await enrol(idp, 'odd.example');
  const element = /<saml:EncryptedAssertion[\s\S]*<\/saml:EncryptedAssertion>/;
  for (const change of [
    (xml: string) => xml.replace(element, (one) => one + one),
    (xml: string) => xml.replace(element, (one) => `<!--${one}-->${one}`),
    // Replaced by a different letter: one in sixty-four is already an A.
    (xml: string) =>
      xml.replace(/(CipherValue>)(.)/, (_all, tag, first) => `${tag}${first === 'A' ? 'B' : 'A'}`),
    (xml: string) => xml.replace(element, ''),
  ])
    await refused(idp, 'odd.example', { change });
  const foreign = (await metadataOf()).replaceAll(
    own.certificate.replace(/-----.*-----\n?/g, '').trim(),
    selfSignedCertificate('else.test')
      .certificate.replace(/-----.*-----\n?/g, '')
      .trim(),
  );
  await refused(idp, 'odd.example', { metadata: foreign });
  expect((await signIn(idp, 'odd.example')).access_token).toBeDefined();
});

test('a file without a key and its certificate is refused at the start', async () => {
  const wrong = `${file}.wrong`;
  writeFileSync(wrong, own.privateKey + selfSignedCertificate('other.test').certificate);
  const start = startTestApp({ settings: { AUTH_SAML: 'true', AUTH_SAML_KEY_FILE: wrong } });
  await expect(start).rejects.toThrow('The file of AUTH_SAML_KEY_FILE must hold an RSA key');
  rmSync(wrong);
});

test.each([
  ['of too few bits', () => generateKeyPairSync('rsa', { modulusLength: 1024 })],
  ['for elliptic curves', () => generateKeyPairSync('ec', { namedCurve: 'P-256' })],
])('a key %s is refused', (_name, make) => {
  const wrong = `${file}.weak`;
  onTestFinished(() => rmSync(wrong));
  const { privateKey } = make();
  writeFileSync(wrong, own.certificate + privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const read = () => readSamlKey({ ...app.resources.settings, AUTH_SAML_KEY_FILE: wrong });
  expect(read).toThrow('must hold an RSA key of at least 2048 bits');
  // The cause is checked as well, because a valid key with another fault gives the same message.
  expect(read).toThrow(
    expect.objectContaining({ cause: expect.objectContaining({ message: 'no RSA key of 2048 bits' }) }),
  );
});
