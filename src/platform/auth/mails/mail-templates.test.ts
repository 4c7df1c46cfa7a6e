import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codeIn, linkIn, pressButton, readMail } from '../../../../tests/support/auth/mail-read.ts';
import { callAuth, newClient, newEmail, PASSWORD } from '../../../../tests/support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { PublishedSite } from '../../../kernel/contract/site-content.ts';
import { languageFor } from '../../../kernel/resources/mailer/mail-language.ts';
import { AUTH_MAILS } from './mail-templates.server.ts';

const LINK = { href: 'https://site.example/auth/v1/verify?token=t', code: '123456' };
const SENDER = {
  settings: { BRAND: 'Northline', CONTACT_EMAIL: 'hello@site.example' },
  site: new PublishedSite(),
  siteUrl: 'https://site.example',
};

test.each(['confirmation', 'recovery', 'magiclink', 'invite', 'email-change'] as const)(
  'the mail %s has its link and its code in both languages, and no variable left',
  (kind) => {
    const [english, german] = (['en', 'de'] as const).map((language) =>
      AUTH_MAILS.mail(SENDER, language, kind, { ...LINK, newAddress: 'new@customers.example' }),
    );
    for (const mail of [english, german]) {
      expect(mail?.html).toContain(`href="${LINK.href}"`);
      expect(mail?.text).toContain('\n123456\n');
      expect(mail?.text).not.toMatch(/[{]\w+[}]/);
    }
    expect(german?.subject).not.toBe(english?.subject);
    expect(german?.html).toContain('<html lang="de">');
  },
);

test.each([
  [{ locale: 'de-AT' }, 'en', 'de'],
  [{}, 'de', 'de'],
  [{ locale: 'en' }, 'de', 'en'],
  [{ locale: 'fr' }, null, 'en'],
  [{ locale: { a: 1 } }, 'DE_CH', 'de'],
  [{ locale: null }, 'de', 'de'],
  [{ locale: '../../etc/passwd' }, 'de', 'en'],
])("metadata %j and the browser's language %j lead to %s", (metadata, locale, expected) => {
  expect(languageFor({ raw_user_meta_data: metadata, locale })).toBe(expected);
});

describe('where accounts are confirmed by mail', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ settings: { AUTH_AUTOCONFIRM: 'false' } });
  });
  afterAll(() => app.close());

  test('a person who signs up with a German browser gets German mails, also later ones', async () => {
    const email = newEmail();
    await callAuth(app, 'POST', '/signup', {
      body: { email, password: PASSWORD },
      headers: { 'accept-language': 'de-DE,de;q=0.9,en;q=0.8' },
    });
    const mail = await readMail(app.url, email, /Bestätigen Sie Ihr Konto/);
    expect(mail.html).toContain('<html lang="de">');
    await pressButton(linkIn(mail));
    await newClient(app).auth.resetPasswordForEmail(email);
    expect(codeIn(await readMail(app.url, email, /Neues Passwort/))).toMatch(/^\d{6}$/);
  });

  test("the account's own locale comes first, and a change of address writes to both sides in it", async () => {
    const [email, next] = [newEmail(), newEmail()];
    const client = newClient(app);
    await client.auth.signUp({ email, password: PASSWORD, options: { data: { locale: 'de' } } });
    const token = codeIn(await readMail(app.url, email, /Bestätigen Sie Ihr Konto/));
    await client.auth.verifyOtp({ email, token, type: 'signup' });
    expect((await client.auth.updateUser({ email: next })).error).toBeNull();
    for (const to of [email, next]) {
      const mail = await readMail(app.url, to, /Bestätigen Sie die neue Adresse/);
      expect(mail.text).toContain(next);
      await pressButton(linkIn(mail));
    }
    const notice = await readMail(app.url, email, /wurde geändert/);
    expect(notice.text).toContain(next);
  });
});
