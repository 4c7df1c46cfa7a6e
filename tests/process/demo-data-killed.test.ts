import { expect, test } from 'vitest';
import { dataFolder, keysOf, startProduct } from '../support/servers/product-start.ts';

test('demo data that is killed in the middle goes on after the start, and its removal too', async () => {
  const data = dataFolder();
  let url = '';
  const ask = async (path: string, body?: object): Promise<unknown> => {
    const key = keysOf(data).service_role_key;
    const reply = await fetch(url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { apikey: key, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return reply.json();
  };
  const order = (wanted: 'add' | 'remove') => ask('/functions/v1/operator-demo-data', { do: wanted });
  const stateOf = async () =>
    ((await ask('/functions/v1/operator-overview')) as { demoData: unknown }).demoData;
  const names = async () =>
    ((await ask('/rest/v1/user_files?select=file_name')) as { file_name: string }[])
      .map((file) => file.file_name)
      .toSorted();
  const start = async () => {
    const product = startProduct(data, { RATE_LIMITS: 'off' });
    url = await product.url;
    return product;
  };
  const kill = async (product: Awaited<ReturnType<typeof start>>) => {
    product.signal('SIGKILL', 'group');
    await product.ended;
  };

  const first = await start();
  expect(await order('add')).toEqual({ done: true });
  await expect.poll(async () => (await names()).length).toBeGreaterThan(0);
  await kill(first);

  const second = await start();
  await expect.poll(stateOf).toBe('ready');
  const whole = await names();
  expect(whole).toHaveLength(5);
  expect(new Set(whole).size).toBe(5);
  expect(await order('remove')).toEqual({ done: true });
  await kill(second);

  await start();
  await expect.poll(stateOf).toBeNull();
  expect(await names()).toEqual([]);
  expect(await ask('/rest/v1/enquiries?select=id')).toEqual([]);
  expect(await ask('/storage/v1/object/list/user-uploads', { prefix: '' })).toEqual([]);
});
