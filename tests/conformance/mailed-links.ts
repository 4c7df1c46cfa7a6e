const PATIENCE_MS = 120_000;

interface KeptMessage {
  readonly to: string;
  readonly text: string;
}

/** What `pattern` finds in the newest mail or text message to an address; waits until it is there. */
async function received(box: string, to: string, pattern: RegExp): Promise<string> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const messages = (await (await fetch(box)).json()) as KeptMessage[];
    const found = pattern.exec(messages.find((message) => message.to === to)?.text ?? '')?.[0];
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`nothing came to ${to}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The verification link of the newest mail to an address, from the built-in mailbox. */
export const mailedAddress = (origin: string, to: string): Promise<string> =>
  received(`${origin}/dev/mail.json`, to, /https?:\/\/\S+\/auth\/v1\/verify\?\S+/);

/** The code of the newest text message to a number, from the built-in mailbox. */
export const messagedCode = (origin: string, phone: string): Promise<string> =>
  received(`${origin}/dev/sms.json`, phone.replace('+', ''), /\b\d{6}\b/);

/** Does what the button on a mail link's page does; returns the address to which it leads. */
export async function pressMailedButton(origin: string, link: string): Promise<URL> {
  const { pathname, search } = new URL(link);
  const page = await (await fetch(origin + pathname + search)).text();
  const fields = [...page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)];
  const body = new URLSearchParams(
    fields.map(([, name = '', value = '']) => [name, value.replaceAll('&amp;', '&')]),
  );
  // A page's fetch cannot see where a redirect leads, so it follows the redirect.
  const reply = await fetch(`${origin}/auth/v1/verify`, { method: 'POST', body, redirect: 'follow' });
  return new URL(reply.url);
}
