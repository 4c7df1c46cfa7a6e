import type { World } from '../calling-world.ts';

/** Functions, with a key, a session and neither. */
export async function callFunctions({ visitor, user, connect, make }: World): Promise<void> {
  const { data } = await user.auth.getSession();
  await make('Functions', 'visitor', [
    ["functions.invoke('nothing')", () => visitor.functions.invoke('nothing')],
    [
      "functions.invoke('enquiry') with nothing in it",
      () => visitor.functions.invoke('enquiry', { body: {} }),
    ],
    [
      "functions.invoke('news', { method: 'GET' })",
      () => visitor.functions.invoke('news', { method: 'GET' }),
      (body) => typeof body,
    ],
    ["functions.invoke('analyze')", () => visitor.functions.invoke('analyze', { body: {} })],
  ]);
  await make('Functions', 'user', [
    [
      "functions.invoke('analyze') of no file",
      () => user.functions.invoke('analyze', { body: { file_id: '00000000-0000-4000-8000-000000000000' } }),
    ],
    [
      'functions.setAuth()',
      async () => {
        const client = connect();
        client.functions.setAuth(data.session?.access_token ?? '');
        return client.functions.invoke('analyze', { body: {} });
      },
    ],
  ]);
}
