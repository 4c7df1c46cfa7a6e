import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { SERVICES } from '../../../kernel/contract/routes.ts';
import { CallRefused, callServer } from '../../../ui/session/server-call.ts';

/** Milliseconds between the console's own refreshes. */
export const REFRESH_MS = 30_000;

type Query = Readonly<Record<string, string>>;

const call = (path: string, options: { body?: object; signal?: AbortSignal } = {}): Promise<Response> =>
  callServer(`${SERVICES.functions}/operator-${path}`, { as: 'user', ...options });

const pathOf = (name: string, query: Query): string => {
  const words = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''));
  return words.size === 0 ? name : `${name}?${words}`;
};

/** `GET operator-NAME`, refreshed while it is on screen. */
export function operatorQuery<T>(name: string, query: Query = {}) {
  return queryOptions({
    queryKey: ['operator', name, query],
    queryFn: async ({ signal }): Promise<T> => (await call(pathOf(name, query), { signal })).json(),
    refetchInterval: REFRESH_MS,
    retry: (failures, error) => !(error instanceof CallRefused) && failures < 2,
  });
}

/**
 * `POST operator-NAME` and refreshes the console.
 *
 * @throws CallRefused
 */
export async function postAsOperator<T>(queries: QueryClient, name: string, body: object): Promise<T> {
  try {
    return (await (await call(name, { body })).json()) as T;
  } finally {
    await queries.invalidateQueries({ queryKey: ['operator'] });
  }
}

/** Saves the list as a file for spreadsheets. @throws CallRefused */
export async function downloadEnquiries(query: Query): Promise<void> {
  const reply = await call(pathOf('enquiries.csv', query));
  const address = URL.createObjectURL(await reply.blob());
  const link = document.createElement('a');
  link.href = address;
  link.download = `enquiries-${query.list ?? 'open'}.csv`;
  link.click();
  URL.revokeObjectURL(address);
}
