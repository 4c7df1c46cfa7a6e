import type { PasskeyListItem } from '@supabase/supabase-js';
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { supabase } from '../../../ui/session/client.ts';

/** The signed-in person's passkeys and the actions on them; each action ends with a fresh list. */
export interface Passkeys {
  readonly query: UseQueryResult<PasskeyListItem[]>;
  add(): Promise<void>;
  rename(id: string, name: string): Promise<void>;
  remove(id: string): Promise<void>;
}

const KEY = ['passkeys'];

/** The actions throw the client's error, for `explainAuthError`. */
export function usePasskeys(): Passkeys {
  const queries = useQueryClient();
  const query = useQuery({
    queryKey: KEY,
    async queryFn() {
      const client = await supabase();
      const { data, error } = await client.auth.passkey.list();
      if (error !== null) throw error;
      return data;
    },
  });
  type Client = Awaited<ReturnType<typeof supabase>>;
  const act = async (call: (client: Client) => Promise<{ error: Error | null }>): Promise<void> => {
    const { error } = await call(await supabase());
    if (error !== null) throw error;
    await queries.invalidateQueries({ queryKey: KEY });
  };
  return {
    query,
    add: () => act((client) => client.auth.registerPasskey()),
    rename: (passkeyId, friendlyName) =>
      act((client) => client.auth.passkey.update({ passkeyId, friendlyName })),
    remove: (passkeyId) => act((client) => client.auth.passkey.delete({ passkeyId })),
  };
}
