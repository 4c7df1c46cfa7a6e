import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createClient } from '@supabase/supabase-js';
import { imageSize } from 'image-size';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { claims } from '../../../tests/support/claims.ts';
import { newAccount, newOperator } from '../../../tests/support/customers/operator-client.ts';
import {
  accountOf,
  buyPlan,
  insertUser,
  settle,
  startCheckout,
} from '../../../tests/support/customers/plan-purchase.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import {
  contrast,
  FIXED_COLOURS,
  hexOf,
  SPECIFIED_COLOURS,
  weakContrasts,
} from '../../kernel/contract/colour-mixing.ts';
import { SPECIFIED_PLANS } from '../../kernel/contract/plans.ts';
import type { SiteContent, SiteLogo } from '../../kernel/contract/site-content.ts';
import { LOGO_CID, mailBody } from '../../kernel/resources/mailer/mail-body.ts';
import { mailboxToken } from '../mailbox/mailbox-access.server.ts';
import type { ContentOverview, FormerNames } from './content.contract.ts';
import { sitePlan } from './site-plan.contract.ts';

let app: TestApp;
let token: string;
beforeAll(async () => {
  app = await startTestApp();
  const { client } = await newOperator(app);
  token = (await client.auth.getSession()).data.session?.access_token ?? '';
});
afterAll(() => app.close());

type Reply = {
  status: number;
  body: Record<string, never> & { error?: string; code?: string; details?: unknown };
};

async function ask(name: string, body?: object, bearer = token): Promise<Reply> {
  const reply = await fetch(`${app.url}/functions/v1/operator-${name}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: reply.status, body: (await reply.json()) as Reply['body'] };
}

async function publish(content: SiteContent, base?: number): Promise<Reply> {
  const { version } = (await ask('content')).body as unknown as { version: number };
  return ask('publish-content', { content, base: base ?? version, note: 'by a test' });
}

const html = async (address: string): Promise<string> => (await fetch(app.url + address)).text();
const HARBOUR = {
  name: 'Harbour & Söhne',
  contactEmail: 'crew@harbour.example',
  socialUrl: 'https://social.example/h',
};
const plans = SPECIFIED_PLANS.map(sitePlan);

test('a new agency: brand, colours, two services, one plan of £99, and every page says so without a restart', async () => {
  claims(
    'Small letters; your other tools see this name.',
    'A line that begins with ## is a heading, one with - an item of a list; an empty line ends a paragraph.',
    "The address of a service's page is made of its name.",
    'Buttons that lead on, and the line of the logo.',
    'The same, for visitors whose screens are dark.',
    'Words, and dark buttons.',
    'What everything stands on.',
    'On the home page and behind lists.',
    'Your name, colours, words, plans and prices.',
    'Published: visitors see it from now on.',
    '{brand} stands for your name and {contactEmail} for your address.',
  );
  const only = {
    ...(plans[1] as (typeof plans)[number]),
    tier: 'crew',
    name: 'Crew Plan',
    pricePence: 9900,
    features: ['40 documents a month'],
    limits: { creditsPerMonth: 40, storageMb: 3000, videoMinutes: null },
  };
  const content: SiteContent = {
    brand: HARBOUR,
    colours: { ...SPECIFIED_COLOURS, accent: '#1d6fb8', board: '#123a2a' },
    sections: ['services', 'documents', 'phone'],
    services: [
      { name: 'Berth Desk', text: 'Answers <b>skippers</b>.', picture: 'phone' },
      { name: 'Manifest Reading', text: 'Reads every manifest.', picture: 'none' },
    ],
    enquiryServices: ['Berth Desk', 'Manifest Reading'],
    plans: [only],
    quotedTier: false,
    texts: { 'hero.heading': 'Moor with {brand}' },
    pages: { 'berth-desk': '## Rings\n\nWe **answer** for {brand}.', about: 'The crew.' },
    legal: { terms: 'Short terms of {brand}.\n\n## One\n\n- first\n- write to {contactEmail}' },
  };
  expect(await publish(content)).toEqual({ status: 200, body: { version: 1 } });

  // Former plans are in the page's data for the browser, and not in its text.
  const home = (await html('/')).replace(
    /<script type="application\/json" id="site-content">.*?<\/script>/s,
    'DATA',
  );
  expect(home).toContain('<h1 id="welcome">Moor with Harbour &amp; Söhne</h1>');
  expect(home).toContain('Answers &lt;b&gt;skippers&lt;/b&gt;.');
  expect(home).toContain('£99');
  // What is offered beyond the plans is the agency's own to name, or to leave out.
  expect(home).not.toContain('Business Tier');
  expect(home).not.toMatch(/Pro Plan|Choose Your Perfect Plan|Chat Bot Services|__BRAND__/);
  expect(home).toMatch(/site-colours\.css\?v=/);
  expect(await html('/site-colours.css')).toContain('--light-signal:#1d6fb8');
  // A chosen row of a panel is mixed from the panel, green as it is.
  expect(await html('/site-colours.css')).toMatch(/--light-board-2:#214536;/);
  expect(await html('/terms')).toContain('<li>write to <a href="mailto:crew@harbour.example">');
  expect(await html('/llms.txt')).toContain('Crew Plan, £99.');
  // Their services have pages of their own, with their words; ours have none any more.
  const berth = await html('/services/berth-desk');
  expect(berth).toContain('<h1>Berth Desk</h1>');
  expect(berth).toContain('<p>We **answer** for Harbour &amp; Söhne.</p>');
  expect(berth).toContain('href="/enquire?service=Berth%20Desk"');
  expect(await html('/about')).toContain('<p>The crew.</p>');
  expect(await html('/sitemap.xml')).toContain('/services/manifest-reading</loc>');
  expect(await html('/sitemap.xml')).not.toContain('/course-inquiry</loc>');
  expect(await html('/course-inquiry')).toContain('<meta name="robots" content="noindex">');
  expect(await html('/llms.txt')).not.toContain('{brand}');
  expect((await fetch(`${app.url}/services/chat-bot-services`)).status).toBe(404);
  expect(await html('/config.json')).toContain('Harbour & Söhne');
  expect(home).toContain('DATA');

  const user = await insertUser(app);
  expect((await startCheckout(app, user.token, 'price_documents_pro')).body.error).toBe(
    'This plan is not sold here.',
  );
  const page = await fetch((await startCheckout(app, user.token, 'price_documents_crew')).body.url ?? '');
  const checkout = await page.text();
  expect(checkout).toMatch(/<title>.* &middot; Harbour &#38; Söhne<\/title>/);
  expect(checkout).toContain('<link rel="stylesheet" href="/site-colours.css">');
  await buyPlan(app, user.token, 'price_documents_crew', user.email);
  await settle(app);
  expect(await accountOf(app, user)).toMatchObject({ credits: 40, subscriptions: [{ tier: 'crew' }] });
  const limit = await app.resources.database.one('select private.storage_limit_bytes($1) as bytes', [
    user.id,
  ]);
  expect(Number(limit.bytes)).toBe(3000 * 1024 * 1024);
  const enquiry = await fetch(`${app.url}/functions/v1/enquiry`, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.anonKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Ada', email: 'ada@customers.example', enquiry_type: 'Manifest Reading' }),
  });
  expect(enquiry.status).toBe(200);

  // Another process of the installation, started later, shows and sells the same.
  const beside = await startTestApp({ beside: app });
  onTestFinished(() => beside.close());
  expect(await (await fetch(beside.url)).text()).toContain('Moor with Harbour');
});

test('a new name and new colours are in icons, shared image, mails, the map, the enquiry list and the greeting', async () => {
  expect((await publish({})).status).toBe(200);
  const picture = async (address: string) =>
    Buffer.from(await (await fetch(app.url + address)).arrayBuffer());
  const [share, touch] = [await picture('/share.png'), await picture('/touch-icon.png')];
  expect(await html('/favicon.svg')).toContain('#ff8b3d');
  const colours = { ...SPECIFIED_COLOURS, accent: '#1d6fb8', accentDark: '#7fc0ff', board: '#123a2a' };
  const content: SiteContent = {
    brand: { ...HARBOUR, name: 'Quay' },
    colours,
    sections: ['services', 'phone'],
    services: [{ name: 'Berth Desk', text: 'Answers skippers for Northline.', picture: 'phone' }],
    plans: [],
    texts: { 'map.first.from': 'Skippers, on channel 12', 'map.first.sample': 'Berth for a ketch, Thursday' },
  };
  const { found } = (await ask('content-names', { content })).body as unknown as FormerNames;
  expect(found).toEqual([
    { place: 'services, 1, text', name: 'Northline', words: 'Answers skippers for Northline.' },
  ]);
  expect((await publish(content)).status).toBe(200);

  const home = await html('/');
  expect(home).toMatch(/href="\/favicon\.svg\?v=Quay[^"]*"/);
  expect(home).toMatch(/og:image" content="[^"]*\/share\.png\?v=Quay/);
  expect(home).toContain('on channel 12');
  expect(home).toContain('Berth for a ketch, Thursday');
  expect(home).not.toContain('Boiler service');
  expect(await html('/favicon.svg')).toContain('#1d6fb8');
  expect((await picture('/share.png')).equals(share)).toBe(false);
  expect((await picture('/touch-icon.png')).equals(touch)).toBe(false);
  expect(imageSize(await picture('/share.png'))).toMatchObject({ width: 1200, height: 630 });
  expect(await html('/site-colours.css')).toContain('--b-call:#7fc0ff');
  expect(app.resources.site.enquiryServices).toEqual(['Berth Desk', 'Automated Phone System']);

  const mail = mailBody(app.resources, [{ kind: 'button', label: 'Open', href: 'https://a.example' }]);
  expect(mail.html).toContain('background:#1d6fb8');
  expect(mail.html).not.toContain('#f08a35');
  expect(mail.text).toContain('Quay');
  const call = await fetch(`${app.url}/functions/v1/sample-call`, {
    headers: { authorization: `Bearer ${app.anonKey}` },
  });
  const heard = (await call.json()) as object;
  expect(JSON.stringify(heard)).toContain('the AI assistant of Quay');
  // The old name is one of the former ones now.
  const after = (await ask('content-names', { content: { texts: { 'foot.line': 'Quay since 1900' } } })).body;
  expect(after).toMatchObject({ found: [] });
});

test('a logo is cleaned, and stands in pages, icons, mails, PDFs and the checkout until it is removed', async () => {
  claims(
    'It stands in the header, mails, PDFs and the checkout.',
    'A logo twice as wide as high, or wider, stands there without your name; a narrower one is the icon of tabs too.',
  );
  const hostile =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 30" onload="alert(1)"><script>alert(1)</script><path d="M0 0h120v30H0z" fill="#7a1fa2"/></svg>';
  const file = Buffer.from(hostile).toString('base64');
  const checked = (await ask('check-logo', { file })).body as unknown as { logo: SiteLogo };
  expect(checked.logo).toMatchObject({ type: 'svg', width: 120, height: 30 });
  expect(checked.logo.data).not.toContain('alert');
  expect(await ask('check-logo', { file: Buffer.from('<svg/>').toString('base64') })).toMatchObject({
    status: 422,
    body: { code: 'bad_logo' },
  });
  // A program that leaves the check out gets the cleaned one published all the same.
  expect((await publish({ brand: HARBOUR, logo: { ...checked.logo, data: hostile } })).status).toBe(200);
  const home = await html('/');
  const src = /<img class="mark-logo" src="([^"]+)"/.exec(home)?.[1] ?? '';
  expect(src).toMatch(/^\/logo\.svg\?v=/);
  expect(home).not.toContain(checked.logo.data.slice(20, 60));
  // Wide: the name is in it, and the icon of tabs stays the mark.
  expect(home).toContain('<span class="hidden-text">Harbour');
  const served = await fetch(app.url + src);
  expect(served.headers.get('content-type')).toBe('image/svg+xml');
  expect(served.headers.get('content-security-policy')).toContain('sandbox');
  expect(await served.text()).toBe(checked.logo.data);
  const icon = await html('/favicon.svg');
  expect(icon).toContain('M3 25h4L25 7h4');
  const share = Buffer.from(await (await fetch(`${app.url}/share.png`)).arrayBuffer());
  const mail = mailBody(app.resources, [{ kind: 'text', text: 'Hello' }]);
  expect(mail.html).toContain(`<img src="cid:${LOGO_CID}"`);
  expect(imageSize(app.resources.site.drawnLogo ?? new Uint8Array())).toMatchObject({
    width: 480,
    height: 120,
  });
  await app.resources.database.transaction((queries) =>
    app.resources.mailer.send(queries, {
      to: 'ann@customers.example',
      subject: 'Hello',
      purpose: 'account',
      ...mail,
    }),
  );
  const [kept] = await app.resources.mailer.kept(1);
  const mailbox = { headers: { authorization: `Bearer ${mailboxToken(app.resources.keys)}` } };
  const shown = await fetch(`${app.url}/dev/mail/${kept?.id}`, mailbox);
  expect(await shown.text()).toContain('<img src="data:image/png;base64,iVBOR');
  const buyer = await insertUser(app);
  const [sold] = app.resources.site.plans.sold;
  const { body: checkout } = await startCheckout(app, buyer.token, sold?.priceId ?? '');
  expect(await (await fetch(checkout.url ?? '')).text()).toContain(`<img class="mark-logo" src="${src}"`);
  // The pages that the server writes by itself: bookings, and what a mailed link opens.
  for (const page of ['/book', '/auth/v1/keep'])
    expect(await html(page), page).toContain(`<img class="logo" src="${src}"`);
  const preview = await ask('preview-content', {
    content: { logo: { ...checked.logo, data: hostile.replace('#7a1fa2', '#0b6e4f') } },
  });
  const { path: place } = preview.body as unknown as { path: string };
  expect(await html(place)).toContain(`<img class="mark-logo" src="${place}logo?v=`);
  expect(await html(`${place}logo`)).toContain('#0b6e4f');

  // As high as wide: beside the name, and the icon too.
  const square = { ...checked.logo, data: hostile.replace('0 0 120 30', '0 0 30 30') };
  expect((await publish({ brand: HARBOUR, logo: square })).status).toBe(200);
  expect(await html('/')).toContain('<span>Harbour');
  expect(await html('/book')).toMatch(/<img class="logo" [^>]+ alt="">Harbour/);
  expect(await html('/favicon.svg')).toContain('data:image/svg+xml;base64,');

  // Gone: the mark is back everywhere.
  expect((await publish({ brand: HARBOUR })).status).toBe(200);
  const after = await html('/');
  expect(after).not.toContain('mark-logo');
  expect(after).toContain('class="mark-picture"');
  expect(await html('/favicon.svg')).toContain('M3 25h4L25 7h4');
  expect((await fetch(app.url + src)).status).toBe(404);
  expect(Buffer.from(await (await fetch(`${app.url}/share.png`)).arrayBuffer()).equals(share)).toBe(false);
  expect(mailBody(app.resources, []).html).not.toContain('cid:');
});

test('what an operator writes is kept by the server, is theirs alone, and is gone when it is published', async () => {
  claims(
    'Your draft is kept since ….',
    'You began this draft from version ….',
    'Since then version … was published.',
  );
  expect((await publish({})).status).toBe(200);
  const { version } = (await ask('content')).body as unknown as ContentOverview;
  expect((await ask('content')).body).toMatchObject({ draft: null });
  // It need not be publishable yet.
  const content = { brand: { name: '', contactEmail: 'x', socialUrl: '' } };
  expect((await ask('keep-draft', { base: version, content })).body).toMatchObject({
    kept_at: expect.any(String),
  });
  expect((await ask('content')).body).toMatchObject({ draft: { base: version, content } });
  expect((await ask('overview')).body).toMatchObject({ siteDraft: true });
  const { client } = await newOperator(app);
  const colleague = (await client.auth.getSession()).data.session?.access_token ?? '';
  expect((await ask('content', undefined, colleague)).body).toMatchObject({ draft: null });
  expect((await ask('keep-draft', { base: version, content: [] })).status).toBe(400);

  expect((await publish({ texts: { 'foot.line': 'Kept and published' } })).status).toBe(200);
  expect((await ask('content')).body).toMatchObject({ draft: null });
  expect((await ask('keep-draft', { base: version, content: {} })).status).toBe(200);
  // Begun from a version that is not the newest any more.
  expect((await ask('content')).body).toMatchObject({ version: version + 1, draft: { base: version } });
  expect((await ask('keep-draft', { base: 0, content: null })).body).toEqual({ kept_at: null });
  expect((await ask('overview')).body).toMatchObject({ siteDraft: false });
});

test('a change of price makes a price at the provider, and who subscribed before keeps the old one', async () => {
  claims(
    'Another price or allowance counts for people who buy from now on.',
    'People with a subscription keep it as they bought it.',
  );
  expect((await publish({})).status).toBe(200);
  expect(await html('/')).toContain('Pro Plan');
  const before = await insertUser(app);
  await buyPlan(app, before.token, 'price_documents_pro', before.email);
  await settle(app);

  const dearer = plans.map((plan) => (plan.tier === 'pro' ? { ...plan, pricePence: 5900 } : plan));
  expect(await publish({ plans: dearer })).toMatchObject({ status: 200 });
  const sold = app.resources.site.plans.sold.find(({ tier }) => tier === 'pro');
  expect(sold).toMatchObject({ priceId: 'price_documents_pro_2', pricePence: 5900 });
  const made = await app.resources.database.maybe(
    "select amount from private.payment_prices where price_id = 'price_documents_pro_2' and current",
  );
  expect(made?.amount).toBe(5900);
  const { body } = await startCheckout(app, before.token, 'price_documents_pro_2');
  expect(body.url).toContain('/dashboard/billing?plan=');
  const overview = await fetch(`${app.url}/functions/v1/billing-overview`, {
    method: 'POST',
    headers: { authorization: `Bearer ${before.token}`, 'content-type': 'application/json' },
    body: '{}',
  });
  expect(await overview.json()).toMatchObject({
    plan: { price_id: 'price_documents_pro' },
    next_payment: { amount_pence: 4900 },
  });
  const after = await insertUser(app);
  await buyPlan(app, after.token, 'price_documents_pro_2', after.email);
  await settle(app);
  expect((await accountOf(app, after)).credits).toBe(100);

  // The old price again is the old plan again, not a third one.
  expect((await publish({})).status).toBe(200);
  expect(app.resources.site.plans.sold.find(({ tier }) => tier === 'pro')?.priceId).toBe(
    'price_documents_pro',
  );
});

test('what cannot be read, seen or sold is refused with the place and the reason, and nothing changes', async () => {
  claims('Everything in these colours can be read.', 'It is older than what you see here.');
  const version = ((await ask('content')).body as unknown as { version: number }).version;
  const [plan] = plans;
  const refused: [object, RegExp][] = [
    [{ colours: { ...SPECIFIED_COLOURS, ink: '#9aa7b5' } }, /contrast/],
    [{ colours: { ...SPECIFIED_COLOURS, paper: 'red;}' } }, /colour such as/],
    [{ brand: { ...HARBOUR, socialUrl: 'javascript:alert(1)' } }, /web address/],
    [{ brand: { ...HARBOUR, name: 'a\r\nBcc: b' } }, /one line/],
    [{ sections: ['services', 'services'] }, /only once/],
    [{ plans: [{ ...plan, pricePence: 1.5 }] }, /pricePence/],
    [{ plans: [plan, plan] }, /only once/],
    [{ texts: { 'hero.nowhere': 'x' } }, /hero\.nowhere/],
    [{ script: 'x' }, /script/],
  ];
  for (const [content, reason] of refused) {
    const reply = await publish(content as SiteContent);
    expect([reply.status, reply.body.code]).toEqual([400, 'validation_failed']);
    expect(JSON.stringify(reply.body)).toMatch(reason);
  }
  expect(await publish({}, version - 1)).toMatchObject({ status: 409, body: { code: 'changed_meanwhile' } });
  expect(((await ask('content')).body as unknown as { version: number }).version).toBe(version);
});

test('site.yaml holds everything, comes back the same, and is refused as what it is not', async () => {
  claims(
    'The file is in the editor.',
    'Look at it, then publish.',
    'Everything in one file, site.yaml, as it is published.',
    'A file that you import is not published before you say so.',
  );
  await publish({ texts: { 'foot.line': 'Ropes & yarns: <all>' }, brand: HARBOUR });
  const reply = await fetch(`${app.url}/functions/v1/operator-site.yaml`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const yaml = await reply.text();
  expect(Object.keys(parse(yaml))).toEqual([
    ...[
      'brand',
      'colours',
      'sections',
      'services',
      'enquiryServices',
      'currency',
      'quotedTier',
      'plans',
      'texts',
      'pages',
      'legal',
    ],
  ]);
  const imported = await ask('import-content', { yaml });
  expect(imported.body).toMatchObject({
    content: { texts: { 'foot.line': 'Ropes & yarns: <all>' }, brand: HARBOUR },
  });
  expect(imported.body).not.toHaveProperty('content.plans');
  expect(await ask('import-content', { yaml: 'brand: [' })).toMatchObject({
    status: 400,
    body: { code: 'not_yaml' },
  });
  expect((await ask('import-content', { yaml: 'a: &a [1]\nb: *a' })).status).toBe(400);
  const commas = await ask('import-content', { yaml: `[${','.repeat(120_000)}` });
  expect(commas).toMatchObject({ status: 400, body: { code: 'file_too_complex' } });
  expect((await ask('import-content', { yaml: ' '.repeat(128 * 1024 + 1) })).status).toBe(400);
  const history = (await ask('content')).body as unknown as { history: { id: number; note: string }[] };
  expect(history.history[0]).toMatchObject({ note: 'by a test' });
  const first = await ask('content-version?id=1');
  expect(first.body).toMatchObject({ content: { brand: HARBOUR } });
});

test('a preview shows a page as it would be, without scripts, to whoever has its address', async () => {
  claims('Nothing is shown to visitors before you publish.');
  const { body } = await ask('preview-content', { content: { texts: { 'hero.heading': 'Only a try' } } });
  const { path: place } = body as unknown as { path: string };
  const page = await html(place);
  expect(page).toContain('Only a try');
  expect(page).not.toMatch(/<script[^>]*src=/);
  expect(await html('/')).not.toContain('Only a try');
  for (const none of ['operator', 'constructor', 'services/loft-conversions', 'services/constructor'])
    expect((await fetch(`${app.url}${place}${none}`)).status, none).toBe(404);
  expect((await fetch(`${app.url}/site-preview/00000000-0000-4000-8000-000000000000/`)).status).toBe(404);
});

test('a preview shows the pages of services as they would be, those that are new too, before anything is published', async () => {
  const content: SiteContent = {
    sections: ['services', 'documents'],
    services: [{ name: 'Loft Conversions', text: 'We turn a roof into a room.', picture: 'none' }],
    pages: { 'loft-conversions': '## What you get\n\nA room with a view.' },
  };
  const { body } = await ask('preview-content', { content });
  const { path: place } = body as unknown as { path: string };
  const page = await html(`${place}services/loft-conversions`);
  expect(page).toContain('We turn a roof into a room.');
  expect(page).toContain('A room with a view.');
  expect(page).not.toMatch(/<script[^>]*src=/);
  expect(await html(`${place}services/document-analysis`)).toContain('What a report holds');
  // A service that the previewed site does not offer has no page there, though it has one on the published site.
  expect((await fetch(`${app.url}${place}services/lead-generation`)).status).toBe(404);
  expect((await fetch(`${app.url}/services/loft-conversions`)).status).toBe(404);
});

test('attack 52: nobody but operators publishes, previews, imports or reads it', async () => {
  const { client } = await newAccount(app);
  const bearer = (await client.auth.getSession()).data.session?.access_token ?? '';
  for (const who of [bearer, app.anonKey]) {
    for (const name of [
      'publish-content',
      'preview-content',
      'import-content',
      'keep-draft',
      'content-names',
    ])
      expect((await ask(name, { content: {}, base: 0, yaml: '' }, who)).status).toBe(403);
    for (const name of ['content', 'content-version?id=1', 'site.yaml'])
      expect((await ask(name, undefined, who)).status).toBe(403);
  }
  const { error } = await createClient(app.url, app.anonKey)
    .schema('operator' as 'public')
    .rpc('publish_site');
  expect(error).not.toBeNull();
});

test('the colours that come with the product pass, and are those of its style sheet', () => {
  claims('Quiet words and borders are mixed from it.');
  expect(weakContrasts(SPECIFIED_COLOURS)).toEqual([]);
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21);
  const sheet = readFileSync(
    path.join(import.meta.dirname, '..', '..', 'ui', 'styles', 'tokens.css'),
    'utf8',
  );
  const tokenOf = (name: string) => {
    const light = new RegExp(`--(?:light-)?${name}: (?:light-dark\\()?oklch\\(([^)]+)\\)`);
    const [, value = ''] = light.exec(sheet) ?? [];
    return value.split(' ').map(Number);
  };
  for (const [name, value] of Object.entries(FIXED_COLOURS)) expect(tokenOf(name), name).toEqual([...value]);
  const [l = 0, c = 0, h = 0] = tokenOf('ink');
  expect(hexOf([l, c, h])).toBe(SPECIFIED_COLOURS.ink);
});
