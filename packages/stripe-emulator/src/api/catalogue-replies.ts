import { z } from 'zod';
import { recordEvent } from '../ledger/event-record.ts';
import { findPrice, seedCatalogue } from '../object-shapes.ts';
import {
  type Change,
  findObject,
  insertObject,
  listObjects,
  lockObject,
  type ProviderObject,
  providerId,
  replaceObject,
} from '../provider-store.ts';
import {
  type ApiRoute,
  currency,
  expand,
  flag,
  found,
  invalid,
  listOf,
  metadata,
  missing,
  page,
  route,
  text,
  whole,
} from '../route-descriptions.ts';

const productFields = {
  name: text.optional(),
  description: text.optional(),
  active: flag.optional(),
  metadata,
  default_price: text.optional(),
  expand,
};
const priceFields = {
  active: flag.optional(),
  lookup_key: text.optional(),
  transfer_lookup_key: flag.optional(),
  nickname: text.optional(),
  metadata,
  expand,
};

/** Products and prices: created, changed, and found by lookup key. */
export const CATALOGUE_ROUTES: readonly ApiRoute[] = [
  route('GET', '/v1/products/:id', z.strictObject({ expand }), async ({ change, id }) => {
    await seedCatalogue(change);
    return found(await findObject(change.queries, 'product', id), 'product', id);
  }),
  route('GET', '/v1/prices/:id', z.strictObject({ expand }), async ({ change, id }) =>
    found(await findPrice(change, id), 'price', id),
  ),
  route(
    'GET',
    '/v1/products',
    z.strictObject({ ...page, active: flag.optional() }),
    async ({ change, given }) => listing(change, 'product', given, {}),
  ),
  route(
    'GET',
    '/v1/prices',
    z.strictObject({
      ...page,
      active: flag.optional(),
      product: text.optional(),
      lookup_keys: z.array(text).max(10).optional(),
    }),
    async ({ change, given }) => {
      const matching = given.product === undefined ? {} : { product: given.product };
      const { lookup_keys: keys } = given;
      if (keys === undefined) return listing(change, 'price', given, matching);
      await seedCatalogue(change);
      const named: ProviderObject[] = [];
      for (const key of keys) {
        const matchingKey = { ...matching, lookup_key: key };
        named.push(...(await listObjects(change.queries, 'price', { matching: matchingKey, limit: 10 })));
      }
      const wanted = named.filter(({ active }) => given.active === undefined || active === given.active);
      return listOf('/v1/prices', wanted, false);
    },
  ),
  route(
    'POST',
    '/v1/products',
    z.strictObject({ ...productFields, name: text, id: text.optional() }),
    async ({ change, given }) => {
      await seedCatalogue(change);
      const { expand: _expand, id = providerId('prod'), ...fields } = given;
      if ((await findObject(change.queries, 'product', id)) !== undefined)
        throw invalid('Product already exists.', 'id');
      const product: ProviderObject = {
        id,
        object: 'product',
        active: true,
        created: change.now,
        default_price: null,
        description: null,
        livemode: false,
        metadata: {},
        ...fields,
      };
      await insertObject(change.queries, product);
      await recordEvent(change, 'product.created', product);
      return product;
    },
  ),
  route('POST', '/v1/products/:id', z.strictObject(productFields), async ({ change, id, given }) => {
    await seedCatalogue(change);
    const { expand: _expand, ...fields } = given;
    const { data } = found(await lockObject(change.queries, 'product', id), 'product', id);
    const next = { ...data, ...fields };
    await replaceObject(change.queries, next);
    await recordEvent(change, 'product.updated', next);
    return next;
  }),
  route(
    'POST',
    '/v1/prices',
    z.strictObject({
      ...priceFields,
      currency,
      unit_amount: whole,
      product: text,
      recurring: z.strictObject({ interval: z.literal('month'), interval_count: z.literal('1').optional() }),
      tax_behavior: z.enum(['inclusive', 'exclusive', 'unspecified']).default('unspecified'),
    }),
    async ({ change, given }) => {
      await seedCatalogue(change);
      found(await findObject(change.queries, 'product', given.product), 'product', given.product);
      if (given.lookup_key !== undefined)
        await takeLookupKey(change, given.lookup_key, given.transfer_lookup_key);
      const price: ProviderObject = {
        id: providerId('price'),
        object: 'price',
        active: given.active ?? true,
        billing_scheme: 'per_unit',
        created: change.now,
        currency: given.currency,
        livemode: false,
        lookup_key: given.lookup_key ?? null,
        metadata: given.metadata ?? {},
        nickname: given.nickname ?? null,
        product: given.product,
        recurring: { interval: 'month', interval_count: 1, usage_type: 'licensed', meter: null },
        tax_behavior: given.tax_behavior,
        type: 'recurring',
        unit_amount: given.unit_amount,
        unit_amount_decimal: String(given.unit_amount),
      };
      await insertObject(change.queries, price);
      await recordEvent(change, 'price.created', price);
      return price;
    },
  ),
  route('POST', '/v1/prices/:id', z.strictObject(priceFields), async ({ change, id, given }) => {
    await seedCatalogue(change);
    const { expand: _expand, transfer_lookup_key: transfer, ...fields } = given;
    const { data } = found(await lockObject(change.queries, 'price', id), 'price', id);
    if (fields.lookup_key !== undefined && fields.lookup_key !== data.lookup_key)
      await takeLookupKey(change, fields.lookup_key, transfer);
    const next = { ...data, ...fields };
    await replaceObject(change.queries, next);
    await recordEvent(change, 'price.updated', next);
    return next;
  }),
];

/**
 * Gives a lookup key to a price. A key belongs to one price, and moves to another only if the request says
 * so.
 */
async function takeLookupKey(change: Change, key: string, transfer: boolean | undefined): Promise<void> {
  for (const holder of await listObjects(change.queries, 'price', {
    matching: { lookup_key: key },
    limit: 10,
  })) {
    if (transfer !== true) {
      throw invalid(`A price (\`${holder.id}\`) already uses that lookup key.`, 'lookup_key');
    }
    await replaceObject(change.queries, { ...holder, lookup_key: null });
  }
}

async function listing(
  change: Change,
  kind: string,
  given: { limit?: number | undefined; starting_after?: string | undefined; active?: boolean | undefined },
  matching: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  await seedCatalogue(change);
  const { limit = 10, starting_after: after, active } = given;
  const objects = await listObjects(change.queries, kind, {
    ...(after === undefined ? {} : { after }),
    matching: { ...matching, ...(active === undefined ? {} : { active }) },
    limit: limit + 1,
  });
  if (kind === 'price' && matching.product !== undefined && objects.length === 0) {
    if ((await findObject(change.queries, 'product', String(matching.product))) === undefined)
      throw missing('product', String(matching.product));
  }
  return listOf(`/v1/${kind}s`, objects.slice(0, limit), objects.length > limit);
}
