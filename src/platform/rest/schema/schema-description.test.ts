import { expect, test } from 'vitest';
import { app, call, openBookShop } from '../../../../tests/support/customers/book-shop.ts';

openBookShop();

const describe = async (key: string) => {
  const reply = await fetch(`${app.url}/rest/v1/`, { headers: { apikey: key } });
  expect([reply.status, reply.headers.get('content-type')]).toEqual([
    200,
    'application/openapi+json; charset=utf-8',
  ]);
  return (await reply.json()) as {
    swagger: string;
    paths: Record<string, Record<string, unknown>>;
    definitions: Record<string, { required?: string[]; properties: Record<string, unknown> }>;
  };
};

test('the root describes tables, views and functions that the caller may use, and no others', async () => {
  const { swagger, paths, definitions } = await describe(app.anonKey);
  expect(swagger).toBe('2.0');
  expect(Object.keys(paths['/books'] ?? {})).toEqual(['get', 'post', 'patch', 'delete']);
  expect(Object.keys(paths['/inbox'] ?? {})).toEqual(['post']);
  expect(Object.keys(paths['/rpc/add'] ?? {})).toEqual(['get', 'post']);
  expect(Object.keys(paths['/rpc/bump'] ?? {})).toEqual(['post']);
  expect(paths['/secret']).toBeUndefined();
  expect(definitions.secret).toBeUndefined();
  expect(definitions.authors?.required).toEqual(['id']);
  expect(definitions.books?.properties).toMatchObject({
    id: { type: 'integer', format: 'integer', description: 'This is a Primary Key.<pk/>' },
    tags: { type: 'array', format: 'text[]', items: { type: 'string' } },
    author_id: { description: expect.stringContaining("<fk table='authors' column='id'/>") },
  });
});

test('the service key sees more than a visitor', async () => {
  const [visitor, service] = [await describe(app.anonKey), await describe(app.serviceKey)];
  expect(Object.keys(service.paths).length).toBeGreaterThan(Object.keys(visitor.paths).length);
});

test('without a key there is no description, and plans and GeoJSON are not supported', async () => {
  expect((await fetch(`${app.url}/rest/v1/`)).status).toBe(401);
  for (const path of ['/', '/books']) {
    const types = [
      'vnd.pgrst.plan',
      'vnd.pgrst.plan+json',
      'vnd.pgrst.plan+text; options=analyze',
      'geo+json',
    ];
    for (const type of types) {
      const refused = await call(path, { headers: { accept: `application/${type}` } });
      expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([406, 'PGRST107']);
    }
  }
});
