import { COUNTRIES } from '@northline/vat/countries';
import { readVatNumber } from '@northline/vat/vat-number';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  buyPlan,
  callFunction,
  insertUser,
  settle,
  type TestUser,
} from '../../../../tests/support/customers/plan-purchase.ts';
import { providerClient } from '../../../../tests/support/servers/payment-provider.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import type { BillingDetails } from './billing-details.contract.ts';
import type { BillingOverview } from './billing-management.contract.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const BYRON: BillingDetails = {
  name: 'Byron Press Ltd',
  line1: '12 Wharf Road',
  line2: '',
  city: 'Leeds',
  postal_code: 'LS1 4AP',
  country: 'GB',
  vat_number: 'gb 980 7806 84',
};
const KEPT = { ...BYRON, vat_number: 'GB980780684' };

const read = async (user: TestUser) => (await callFunction(app, 'billing-details', user.token, {})).body;
const save = (user: Pick<TestUser, 'token'>, changes: Partial<BillingDetails> = {}) =>
  callFunction(app, 'save-billing-details', user.token, { ...BYRON, ...changes });

test('the check digits of a VAT number are verified for every supported country', () => {
  for (const [words, country, type] of [
    ['GB 980 7806 84', 'GB', 'gb_vat'],
    ['XI980780684', 'GB', 'eu_vat'],
    ['de136695976', 'DE', 'eu_vat'],
    ['EL 094259216', 'GR', 'eu_vat'],
    ['CHE-116.281.710 MWST', 'CH', 'ch_vat'],
    ['NO923609016MVA', 'NO', 'no_vat'],
  ] as const)
    expect(readVatNumber(words), words).toMatchObject({ country, type });
  for (const wrong of ['GB980780685', 'XI980780685', 'DE136695977', 'RU7805145876', '980780684', ''])
    expect(readVatNumber(wrong), wrong).toBeUndefined();
  expect(COUNTRIES.filter((code) => !/^[A-Z]{2}$/.test(code))).toEqual([]);
});

// 'Saved. They stand on your next invoice.'
test('They stand on your next invoice, and what is changed later leaves that one alone', async () => {
  const user = await insertUser(app);
  expect(await read(user)).toMatchObject({ name: '', vat_number: '' });
  expect(await save(user)).toMatchObject({ status: 200, body: KEPT });
  await buyPlan(app, user.token, 'price_documents_basic', user.email);
  await settle(app);
  const { invoices } = (await callFunction(app, 'billing-overview', user.token, {}))
    .body as unknown as BillingOverview;
  const changed = { name: 'Harlow GmbH', country: 'DE', vat_number: 'DE136695976' };
  expect((await save(user, changed)).body).toEqual({ ...BYRON, ...changed });
  const stripe = providerClient(app);
  const invoice = await stripe.invoices.retrieve(invoices[0]?.id ?? '');
  expect(invoice).toMatchObject({
    customer_name: 'Byron Press Ltd',
    customer_address: { line1: '12 Wharf Road', city: 'Leeds', country: 'GB' },
    customer_tax_ids: [{ type: 'gb_vat', value: 'GB980780684' }],
  });
  const customer = String(invoice.customer);
  expect((await stripe.taxIds.list({ owner: { type: 'customer', customer } })).data).toMatchObject([
    { type: 'eu_vat', value: 'DE136695976' },
  ]);
  expect((await save(user, { vat_number: '' })).body).toMatchObject({ vat_number: '' });
  expect((await stripe.taxIds.list({ owner: { type: 'customer', customer } })).data).toEqual([]);
});

test('a wrong VAT number, one of another country and an unknown country are refused by field, and nothing changes', async () => {
  const user = await insertUser(app);
  await save(user);
  for (const [changes, code, field] of [
    [{ vat_number: 'GB980780685' }, 'vat_number_wrong', 'vat_number'],
    [{ vat_number: 'DE136695976' }, 'vat_country', 'vat_number'],
    [{ country: 'XX' }, 'unknown_country', 'country'],
  ] as const) {
    const refused = await save(user, { name: 'Another', ...changes });
    expect(refused).toMatchObject({
      status: 400,
      body: { code, fields: { [field]: refused.body.error } },
    });
  }
  expect(await save(user, { name: 'x'.repeat(151) })).toMatchObject({ status: 400 });
  expect(await read(user)).toEqual(KEPT);
});

test('attack: nobody reads or writes another user’s details, and nobody without an account any', async () => {
  const [owner, other] = [await insertUser(app), await insertUser(app)];
  await save(owner);
  const stolen = await callFunction(app, 'billing-details', other.token, { user_id: owner.id });
  expect(stolen.body).not.toMatchObject({ name: BYRON.name });
  await save(other, { name: 'Other Ltd', vat_number: '' });
  expect(await read(owner)).toEqual(KEPT);
  expect((await save({ token: app.anonKey })).status).toBe(401);
  expect((await callFunction(app, 'billing-details', app.anonKey, {})).status).toBe(401);
});
