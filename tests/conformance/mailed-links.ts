const PATIENCE_MS = 15_000;

interface KeptMail {
  readonly to: string;
  readonly text: string;
}

/** The verification link of the newest mail to an address, from the built-in mailbox; waits until it is there. */
export async function mailedAddress(origin: string, to: string): Promise<string> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const mails = (await (await fetch(`${origin}/dev/mail.json`)).json()) as KeptMail[];
    const text = mails.find((mail) => mail.to === to)?.text ?? '';
    const link = /https?:\/\/\S+\/auth\/v1\/verify\?\S+/.exec(text)?.[0];
    if (link !== undefined) return link;
    if (Date.now() > deadline) throw new Error(`no mail to ${to} arrived`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Does what the button of a mail link's page does; answers with the address that it leads to. */
export async function pressMailedButton(origin: string, link: string): Promise<URL> {
  const { pathname, search } = new URL(link);
  const page = await (await fetch(origin + pathname + search)).text();
  const fields = [...page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)];
  const body = new URLSearchParams(
    fields.map(([, name = '', value = '']) => [name, value.replaceAll('&amp;', '&')]),
  );
  // A page's fetch may not see where a redirect leads, so it is followed there.
  const reply = await fetch(`${origin}/auth/v1/verify`, { method: 'POST', body, redirect: 'follow' });
  return new URL(reply.url);
}
