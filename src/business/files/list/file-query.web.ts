import { queryOptions } from '@tanstack/react-query';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { supabase } from '../../../ui/session/client.ts';
import { FILE_COLUMNS, type FileRecord, type FileRow, fileOf } from '../file-record.web.ts';

const PAGE = 1000;

/**
 * The user's files, newest first (docs/specification/site.md §7).
 *
 * @throws Error 'Failed to load files'
 */
export function filesQuery(userId: string) {
  return queryOptions({
    queryKey: ['files', userId],
    queryFn: async ({ signal }): Promise<FileRecord[]> => {
      const files: FileRecord[] = [];
      // The data service returns at most a thousand rows; a page that is not full is the last one.
      for (;;) {
        const page = await readPage(userId, files.length, signal);
        files.push(...page);
        if (page.length < PAGE) return withoutDoubles(files);
      }
    },
  });
}

async function readPage(userId: string, from: number, signal: AbortSignal): Promise<FileRecord[]> {
  const client = await supabase();
  const { data, error } = await client
    .from('user_files')
    .select(FILE_COLUMNS)
    .eq('user_id', userId)
    .is('deleted_at', null)
    .order('created_at', { ascending: false })
    .order('id')
    .range(from, from + PAGE - 1)
    .abortSignal(signal)
    .returns<FileRow[]>();
  if (error !== null) throw new Error(MESSAGES.listing.failed, { cause: error });
  return data.map(fileOf);
}

/** A file that was added between two pages moves the others by one, so that one of them comes twice. */
function withoutDoubles(files: readonly FileRecord[]): FileRecord[] {
  return [...new Map(files.map((file) => [file.id, file])).values()];
}
