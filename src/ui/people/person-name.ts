import type { User } from '@supabase/supabase-js';

/** The name of a person: the full name of the account, else its address; empty when it has neither. */
export function personName({
  user_metadata: metadata,
  email,
}: Pick<User, 'user_metadata' | 'email'>): string {
  const name: unknown = metadata.full_name;
  return typeof name === 'string' && name.trim() !== '' ? name : (email ?? '');
}
