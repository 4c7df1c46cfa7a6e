import { z } from 'zod';
import { taxIdObject } from '../ledger/customer-vat.ts';
import { findObject, insertObject, listObjects, lockObject } from '../provider-store.ts';
import { type ApiRoute, expand, found, listOf, page, readable, route, text } from '../route-descriptions.ts';

const owner = z.strictObject({ type: z.literal('customer'), customer: text });

/**
 * Rates of VAT, and the tax numbers of customers under `/v1/tax_ids`. As in the API, the digits of a number
 * are not checked.
 */
export const TAX_ID_ROUTES: readonly ApiRoute[] = [
  ...readable('/v1/tax_rates', 'tax_rate'),
  route('GET', '/v1/tax_ids', z.strictObject({ ...page, owner }), async ({ change, given }) => {
    const { limit = 10, starting_after: after } = given;
    const objects = await listObjects(change.queries, 'tax_id', {
      customer: given.owner.customer,
      ...(after === undefined ? {} : { after }),
      limit: limit + 1,
    });
    return listOf('/v1/tax_ids', objects.slice(0, limit), objects.length > limit);
  }),
  route(
    'POST',
    '/v1/tax_ids',
    z.strictObject({ type: z.enum(['eu_vat', 'gb_vat', 'ch_vat', 'no_vat']), value: text, owner, expand }),
    async ({ change, given }) => {
      const { customer } = given.owner;
      found(await findObject(change.queries, 'customer', customer), 'customer', customer);
      const taxId = taxIdObject(customer, given, change.now);
      await insertObject(change.queries, taxId);
      return taxId;
    },
  ),
  route('DELETE', '/v1/tax_ids/:id', z.strictObject({}), async ({ change, id }) => {
    found(await lockObject(change.queries, 'tax_id', id), 'tax_id', id);
    await change.queries.run('delete from private.provider_objects where id = $1', [id]);
    return { id, object: 'tax_id', deleted: true };
  }),
];
