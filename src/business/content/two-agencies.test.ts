import { expect, onTestFinished, test } from 'vitest';
import { askConsole, newOperator } from '../../../tests/support/customers/operator-client.ts';
import { insertUser, startCheckout } from '../../../tests/support/customers/plan-purchase.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { voiceApi } from '../../../tests/support/voice/voice-calls.ts';
import { SPECIFIED_PLANS } from '../../kernel/contract/plans.ts';
import type { SiteContent } from '../../kernel/contract/site-content.ts';
import { sitePlan } from './site-plan.contract.ts';

/** An agency with a name, a service and a plan of its own. */
async function openAgency(name: string, service: string, tier: string) {
  const app = await startTestApp();
  onTestFinished(() => app.close());
  const [plan] = SPECIFIED_PLANS.map(sitePlan);
  if (plan === undefined) throw new Error('There is no plan.');
  const content: SiteContent = {
    brand: { name, contactEmail: `crew@${tier}.example`, socialUrl: 'https://social.example/a' },
    services: [{ name: service, text: `${service} for everybody.`, picture: 'none' }],
    enquiryServices: [service],
    plans: [{ ...plan, tier, name: `${service} Plan` }],
  };
  await askConsole('publish-content', await newOperator(app), { content, base: 0, note: '' });
  return { app, name, service, price: `price_documents_${tier}` };
}

const enquire = (app: TestApp, enquiry_type: string): Promise<Response> =>
  fetch(`${app.url}/functions/v1/enquiry`, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.anonKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Ada', email: 'ada@customers.example', enquiry_type }),
  });

/** What the agency's assistant says when it is asked in writing. */
async function conversation(app: TestApp, question: string): Promise<string> {
  const messages = [
    { role: 'user', content: question },
    { role: 'assistant', judgePlan: { type: 'regex', content: '.' } },
  ];
  const { body: run } = await voiceApi(app, 'POST', '/eval/run', {
    type: 'eval',
    eval: { type: 'chat.mockConversation', messages },
    target: { type: 'assistant', assistantId: app.resources.keys.voice_assistant_id },
  });
  const look = async () => (await voiceApi(app, 'GET', `/eval/run/${run.id}`)).body;
  await expect.poll(async () => (await look()).status).toBe('ended');
  return JSON.stringify((await look()).results[0].messages);
}

test('two agencies in one process have pages, prices, enquiries, mails, bookings and answers of their own', async () => {
  const agencies = [
    await openAgency('Harbour', 'Berth Desk', 'crew'),
    await openAgency('Kestrel', 'Kite Repair', 'wind'),
  ] as const;
  for (const [{ app, name, service, price }, other] of [agencies, [agencies[1], agencies[0]]] as const) {
    const read = async (address: string) => (await fetch(app.url + address)).text();
    expect((await read('/')).includes(`data-brand="${name}"`)).toBe(true);
    expect(await read('/llms.txt')).toContain(`${service} Plan`);
    const book = await read('/book');
    expect(/· (.*)<\/title>/.exec(book)?.[1]).toBe(name);
    expect(book.includes(`>${service}</a>`)).toBe(true);
    const buyer = await insertUser(app);
    expect((await startCheckout(app, buyer.token, price)).body.url).toContain('http');
    expect((await startCheckout(app, buyer.token, other.price)).body.error).toBe(
      'This plan is not sold here.',
    );
    expect((await enquire(app, other.service)).status).toBe(400);
    expect((await enquire(app, service)).status).toBe(200);
    const mails = (await app.resources.mailer.kept(50)).map(({ from, html }) => from + html);
    expect(mails.filter((mail) => mail.includes(name)).length).toBeGreaterThan(0);
    expect(mails.filter((mail) => mail.includes(other.name))).toEqual([]);
    const said = await conversation(app, `How much is the ${service} Plan?`);
    expect(said).toContain(`the AI assistant of ${name}`);
    expect(said).toContain(`The ${service} Plan costs £15`);
    const ofOther = await conversation(app, `How much is the ${other.service} Plan?`);
    expect(ofOther).not.toContain(`The ${other.service} Plan costs`);
  }
});
