import { expect, test } from 'vitest';
import { newClient, signUpPerson } from '../../../tests/support/auth-client.ts';
import { CHROMIUM, openBrowser } from '../../../tests/support/open-browser.ts';
import { linkIn, readMail } from '../../../tests/support/read-mail.ts';
import { startTestApp } from '../../../tests/support/start-test-app.ts';

test.skipIf(CHROMIUM === undefined)(
  'in a browser the button leads on, under the policy that the page itself sets',
  async () => {
    const app = await startTestApp();
    const browser = await openBrowser();
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    const { email } = await signUpPerson(app);
    await newClient(app).auth.resetPasswordForEmail(email, { redirectTo: `${app.url}/livez` });
    await page.goto(linkIn(await readMail(app.url, email, /password/)).href);
    expect(await page.getByRole('heading').textContent()).toBe('Choose a new password');
    expect(complaints).toEqual([]);
    await page.getByRole('button').click();
    await page.waitForURL(/\/livez#/);
    expect(page.url()).toContain('type=recovery');
    await browser.close();
    await app.close();
  },
  60_000,
);
