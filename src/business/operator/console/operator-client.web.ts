import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { SERVICES } from '../../contract/routes.ts';
import { supabase } from '../../web/session/client.ts';
import type { OperatorAction } from './operator.contract.ts';

/** A refusal of the console's functions; `message` is the server's sentence. */
export class OperatorRefused extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The desk looks again by itself, ms. */
const AGAIN_MS = 30_000;

type Query = Readonly<Record<string, string>>;

async function call(path: string, init: RequestInit = {}): Promise<Response> {
  const { data } = await (await supabase()).auth.getSession();
  const reply = await fetch(`${SERVICES.functions}/operator-${path}`, {
    ...init,
    headers: { ...init.headers, authorization: `Bearer ${data.session?.access_token ?? ''}` },
  });
  if (reply.ok) return reply;
  const body = await reply.json().catch(() => ({}));
  throw new OperatorRefused(
    reply.status,
    String(body.code ?? ''),
    String(body.error ?? 'Something went wrong.'),
  );
}

const pathOf = (name: string, query: Query): string => {
  const words = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''));
  return words.size === 0 ? name : `${name}?${words}`;
};

/** `GET operator-NAME`, kept fresh while it is looked at. */
export function operatorQuery<T>(name: string, query: Query = {}) {
  return queryOptions({
    queryKey: ['operator', name, query],
    queryFn: async ({ signal }): Promise<T> => (await call(pathOf(name, query), { signal })).json(),
    refetchInterval: AGAIN_MS,
    retry: (failures, error) => !(error instanceof OperatorRefused) && failures < 2,
  });
}

/**
 * Does one thing and lets the desk look again.
 *
 * @throws OperatorRefused
 */
export async function actAsOperator(queries: QueryClient, action: OperatorAction): Promise<unknown> {
  try {
    const reply = await call('act', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(action),
    });
    return ((await reply.json()) as { done: unknown }).done;
  } finally {
    await queries.invalidateQueries({ queryKey: ['operator'] });
  }
}

/** Saves the list as a file for spreadsheets. @throws OperatorRefused */
export async function downloadEnquiries(query: Query): Promise<void> {
  const reply = await call(pathOf('enquiries.csv', query));
  const address = URL.createObjectURL(await reply.blob());
  const link = document.createElement('a');
  link.href = address;
  link.download = `enquiries-${query.list ?? 'open'}.csv`;
  link.click();
  URL.revokeObjectURL(address);
}
