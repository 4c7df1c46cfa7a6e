import { queryOptions } from '@tanstack/react-query';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { supabase } from '../../../ui/session/client.ts';
import type { FileRecord } from '../file-record.web.ts';

/**
 * The user's files, newest first (docs/specification/site.md §7).
 *
 * @throws Error 'Failed to load files'
 */
export function filesQuery(userId: string) {
  return queryOptions({
    queryKey: ['files', userId],
    queryFn: async ({ signal }): Promise<FileRecord[]> => {
      const client = await supabase();
      const { data, error } = await client
        .from('user_files')
        .select('*')
        .eq('user_id', userId)
        .is('deleted_at', null)
        .order('created_at', { ascending: false })
        .abortSignal(signal)
        .returns<FileRecord[]>();
      if (error !== null) throw new Error(MESSAGES.listing.failed, { cause: error });
      return data;
    },
  });
}
