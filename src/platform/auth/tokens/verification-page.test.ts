import { expect, onTestFinished, test } from 'vitest';
import { linkIn, readMail } from '../../../../tests/support/auth/mail-read.ts';
import { CHROMIUM, sharedBrowser } from '../../../../tests/support/browser.ts';
import { newClient, signUpPerson } from '../../../../tests/support/customers/auth-client.ts';
import { startTestApp } from '../../../../tests/support/test-app.ts';

test.skipIf(CHROMIUM === undefined)(
  'in a browser the button leads on, under the policy that the page itself sets',
  async () => {
    const app = await startTestApp();
    onTestFinished(() => app.close());
    const context = await (await sharedBrowser()).newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
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
  },
);
