import type { KeptMail } from '../../../src/kernel/resources/mailer/mail-queue.ts';

const PATIENCE_MS = 15_000 * Number(process.env.TEST_PATIENCE ?? 1);

/**
 * The newest mail to an address whose subject matches, from the built-in mailbox; waits until it is there.
 */
export async function readMail(url: string, to: string, subject: RegExp): Promise<KeptMail> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const mails = (await (await fetch(`${url}/dev/mail.json`)).json()) as KeptMail[];
    const mail = mails.find((kept) => kept.to === to && subject.test(kept.subject));
    if (mail !== undefined) return mail;
    if (Date.now() > deadline) throw new Error(`no mail ${subject} to ${to} arrived`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The verification link of a mail. */
export function linkIn(mail: KeptMail): URL {
  const link = /https?:\/\/\S+\/auth\/v1\/verify\?\S+/.exec(mail.text)?.[0];
  if (link === undefined) throw new Error('the mail has no link');
  return new URL(link);
}

/** The six-digit code of a mail. */
export function codeIn(mail: KeptMail): string {
  const code = /^\d{6}$/m.exec(mail.text)?.[0];
  if (code === undefined) throw new Error('the mail has no code');
  return code;
}

/** Presses the button on the page of a mail link; returns the address to which it leads. */
export async function pressButton(link: URL): Promise<URL> {
  const page = await (await fetch(link)).text();
  const fields = [...page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)];
  const body = new URLSearchParams(
    fields.map(([, name = '', value = '']) => [name, value.replaceAll('&amp;', '&')]),
  );
  const reply = await fetch(new URL('/auth/v1/verify', link), { method: 'POST', body, redirect: 'manual' });
  return new URL(reply.headers.get('location') ?? '');
}
