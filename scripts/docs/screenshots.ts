import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createClient } from '@supabase/supabase-js';
import type { Page } from 'playwright-core';
import {
  freePort,
  freshDataDir,
  type Product,
  removeDataDir,
  startProduct,
} from '../../bench/support/product.ts';
import type { WorkChallenge } from '../../src/business/enquiries/proof-of-work/proof-of-work.contract.ts';
import { solve } from '../../src/business/enquiries/proof-of-work/proof-of-work.web.ts';
import { CREDIT_DESCRIPTION, LIMITS, UPLOADS_BUCKET } from '../../src/kernel/contract/limits.ts';
import { SPECIFIED_PLANS } from '../../src/kernel/contract/plans.ts';
import { analysisPath, SERVICES } from '../../src/kernel/contract/routes.ts';
import { openBrowser } from '../../tests/support/browser.ts';
import { payWithCard } from '../../tests/support/customers/card-payment.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
/** Makes the README's pictures, or with a folder as argument pictures of every page in every look. */
const [everything] = process.argv.slice(2);
const OUT = everything ?? path.join(ROOT, 'docs', 'screenshots');
const IN_README = new Set([
  'home-1440',
  'files-1440',
  'analysis-1440',
  'analysis-390-dark',
  'call-1440',
  'console-1440',
]);
const EMAIL = 'priya@harbour.example';
const PASSWORD = 'lantern harbour window';
const DOCUMENTS: [name: string, type: string][] = [
  ['tenancy-agreement.pdf', 'application/pdf'],
  ['invoice-HF-2041.pdf', 'application/pdf'],
  ['supplier-terms.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['letter-rent-review.txt', 'text/plain'],
];
const ENQUIRIES: [name: string, service: string, notes: string][] = [
  ['Owen Hill', 'Course Launcher', 'A course for new baristas.'],
  ['Meera Nair', 'Document Intelligence', 'Forty leases a month, all as scans.'],
  ['Tom Okafor', 'Automated Phone System', 'We miss every third call after six.'],
];

/**
 * Makes the README's pictures from the running product, as a customer whose documents have just been read.
 */
async function makeScreenshots(): Promise<void> {
  mkdirSync(OUT, { recursive: true });
  const dataDir = freshDataDir();
  const product = await startProduct(dataDir, await freePort());
  const browser = await openBrowser([
    '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream=device-count=0',
  ]);
  try {
    const report = await becomeCustomer(product);
    const looks = [
      { suffix: '1440', viewport: { width: 1440, height: 960 }, colorScheme: 'light' as const },
      { suffix: '1440-dark', viewport: { width: 1440, height: 960 }, colorScheme: 'dark' as const },
      { suffix: '390', viewport: { width: 390, height: 844 }, colorScheme: 'light' as const },
      { suffix: '390-dark', viewport: { width: 390, height: 844 }, colorScheme: 'dark' as const },
    ];
    for (const { suffix, ...options } of looks) {
      const page = await (await browser.newContext({ ...options, reducedMotion: 'reduce' })).newPage();
      await picture(page, product.url, `home-${suffix}`);
      await pictureOfCall(page, product.url, `call-${suffix}`);
      await picture(page, `${product.url}/signup`, `signup-${suffix}`);
      await signIn(page, product.url);
      await page.getByText('Your Analyzed Files').waitFor();
      await picture(page, `${product.url}/dashboard`, `files-${suffix}`);
      await picture(page, `${product.url}/dashboard/billing`, `billing-${suffix}`);
      await picture(page, `${product.url}${report}`, `analysis-${suffix}`);
      await page.context().close();
    }
    await becomeOperator(product);
    for (const { suffix, ...options } of looks) {
      const page = await (await browser.newContext({ ...options, reducedMotion: 'reduce' })).newPage();
      await signIn(page, product.url);
      await pictureOfConsole(page, product.url, `console-${suffix}`);
      await picture(page, `${product.url}/operator`, `owner-home-${suffix}`);
      await pictureOfCustomer(page, product.url, `customer-${suffix}`);
      await page.context().close();
    }
  } finally {
    await browser.close();
    await product.stop();
    removeDataDir(dataDir);
  }
}

async function signIn(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/login`);
  await page.getByLabel('Email').fill(EMAIL);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: /^(Sign In|Log ?in)$/i }).click();
  await page.waitForURL(/\/dashboard$/);
}

async function picture(page: Page, address: string, name: string): Promise<void> {
  if (everything === undefined && !IN_README.has(name)) return;
  await page.goto(address, { waitUntil: 'networkidle' });
  await page.screenshot({ path: path.join(OUT, `${name}.png`) });
}

/** A call in which a question was typed and answered. */
async function pictureOfCall(page: Page, url: string, name: string): Promise<void> {
  if (everything === undefined && !IN_README.has(name)) return;
  await page.goto(`${url}/#phone`, { waitUntil: 'networkidle' });
  await page.getByRole('button', { name: 'Test Now' }).click();
  const captions = page.getByRole('log');
  await captions.getByText('AI assistant').first().waitFor();
  const box = page.getByLabel('Type to the assistant');
  await box.fill('How much is the Pro plan?');
  await box.press('Enter');
  await captions.getByText('£49').waitFor();
  await page.locator('.call-panel').scrollIntoViewIfNeeded();
  await page.screenshot({ path: path.join(OUT, `${name}.png`) });
  await page.getByRole('button', { name: 'Hang up' }).click();
}

/** The enquiries at the console, one of them open. */
async function pictureOfConsole(page: Page, url: string, name: string): Promise<void> {
  if (everything === undefined && !IN_README.has(name)) return;
  await page.goto(`${url}/operator/enquiries`, { waitUntil: 'networkidle' });
  await page.getByText('Tom Okafor').first().click();
  await page.getByText('We miss every third call').first().waitFor();
  await page.screenshot({ path: path.join(OUT, `${name}.png`) });
}

/** The page of the customer whose documents were read, found by the search. */
async function pictureOfCustomer(page: Page, url: string, name: string): Promise<void> {
  if (everything === undefined && !IN_README.has(name)) return;
  await page.goto(`${url}/operator`, { waitUntil: 'networkidle' });
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search everything' }).fill(EMAIL);
  await page.getByRole('group', { name: 'Customers' }).getByRole('option').first().click();
  await page.getByRole('heading', { name: 'Priya Shah' }).waitFor();
  await page.screenshot({ path: path.join(OUT, `${name}.png`) });
}

/** Lets the customer into the console, as the command line does, after visitors have sent enquiries. */
async function becomeOperator({ url, anonKey, dataDir, port }: Product): Promise<void> {
  const headers = { apikey: anonKey, 'content-type': 'application/json' };
  for (const [name, enquiry_type, additional_notes] of ENQUIRIES) {
    const challenge = await fetch(`${url}${SERVICES.enquiryChallenge}`, { headers });
    const proof = await solve((await challenge.json()) as WorkChallenge, AbortSignal.timeout(60_000));
    // The product suspects a form that is sent within two seconds.
    await new Promise((resolve) => setTimeout(resolve, 2500));
    const body = {
      name,
      email: `${name.split(' ')[0]}@example.com`,
      enquiry_type,
      additional_notes,
      elapsed_ms: 40_000,
      proof,
    };
    const reply = await fetch(`${url}${SERVICES.enquiry}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    if (!reply.ok) throw new Error(await reply.text());
  }
  execFileSync(process.execPath, [path.join(ROOT, 'src/cli/northline.ts'), 'operators', 'add', EMAIL], {
    env: { ...process.env, DATA_DIR: dataDir, PORT: String(port) },
  });
}

/** Signs up, pays, uploads and has documents read; answers the path of a report. */
async function becomeCustomer(product: Product): Promise<string> {
  const client = createClient(product.url, product.anonKey, { auth: { persistSession: false } });
  const { data, error } = await client.auth.signUp({
    email: EMAIL,
    password: PASSWORD,
    options: { data: { full_name: 'Priya Shah' } },
  });
  if (error !== null || data.session === null || data.user === null) throw new Error(error?.message);
  const headers = {
    authorization: `Bearer ${data.session.access_token}`,
    'content-type': 'application/json',
  };
  const post = async (address: string, body: object): Promise<Record<string, string>> => {
    const reply = await fetch(`${product.url}${address}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return (await reply.json()) as Record<string, string>;
  };
  const { url } = await post(SERVICES.checkout, {
    price_id: SPECIFIED_PLANS[1]?.priceId,
    success_url: `${product.url}/success`,
    cancel_url: `${product.url}/cancel`,
    mode: 'subscription',
  });
  await payWithCard(url ?? '', '4242424242424242', EMAIL);
  const user = data.user.id;
  await until(async () => (await client.from('customers').select('credits').maybeSingle()).data?.credits > 0);
  for (const [name, contentType] of DOCUMENTS) {
    await client.rpc('use_credits', {
      p_user_id: user,
      p_amount: LIMITS.creditsPerUpload,
      p_description: CREDIT_DESCRIPTION,
    });
    const file_path = `${user}/${Date.now()}_${name}`;
    const bytes = readFileSync(path.join(ROOT, 'tests', 'documents', name));
    await client.storage.from(UPLOADS_BUCKET).upload(file_path, bytes, { contentType });
    await client.from('user_files').insert({
      user_id: user,
      file_path,
      file_name: name,
      file_type: 'document',
      file_size: bytes.length,
      mime_type: contentType,
    });
  }
  const { data: files } = await client.from('user_files').select('id, file_name').order('created_at');
  for (const file of files?.slice(0, 2) ?? []) await post(SERVICES.analyze, { file_id: file.id });
  await until(async () => {
    const done = await client.from('user_files').select('id').eq('status', 'analyzed');
    return (done.data?.length ?? 0) >= 2;
  });
  return analysisPath(files?.[0]?.id);
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; !(await condition()); attempt += 1) {
    if (attempt > 300) throw new Error('the product did not get there in a minute');
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

await makeScreenshots();
