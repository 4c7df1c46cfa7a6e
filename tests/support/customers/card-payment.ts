/** The reply of the payment page. */
export interface PaymentOutcome {
  /** Where the browser is sent after a payment. */
  readonly redirectedTo: string | undefined;
  /** The page shown otherwise: a decline or a further step. */
  readonly page: string;
}

/**
 * Pays on the Stripe emulator's page as a browser without scripts would: fetches the page, fills in its form
 * and sends it.
 */
export async function payWithCard(pageUrl: string, card: string, email: string): Promise<PaymentOutcome> {
  const html = await (await fetch(pageUrl)).text();
  const form = /<form[^>]*method="post"[^>]*>[\s\S]*?<\/form>/i.exec(html)?.[0] ?? '';
  const action = /action="([^"]*)"/.exec(form)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const fields = new URLSearchParams();
  for (const [input] of form.matchAll(/<input[^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(input)?.[1];
    if (name !== undefined) fields.set(name, /value="([^"]*)"/.exec(input)?.[1] ?? sample(name, card, email));
  }
  const reply = await fetch(new URL(action, pageUrl), { method: 'POST', body: fields, redirect: 'manual' });
  return { redirectedTo: reply.headers.get('location') ?? undefined, page: await reply.text() };
}

function sample(name: string, card: string, email: string): string {
  if (/email/i.test(name)) return email;
  if (/number|card$/i.test(name)) return card;
  if (/exp/i.test(name)) return '12/34';
  if (/cvc/i.test(name)) return '123';
  return 'Crash Test';
}
