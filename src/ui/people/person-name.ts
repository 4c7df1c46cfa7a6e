import type { User } from '@supabase/supabase-js';

/** What a person is called: the full name of the account, else its address; empty for neither. */
export function personName({
  user_metadata: metadata,
  email,
}: Pick<User, 'user_metadata' | 'email'>): string {
  const name: unknown = metadata.full_name;
  return typeof name === 'string' && name.trim() !== '' ? name : (email ?? '');
}
