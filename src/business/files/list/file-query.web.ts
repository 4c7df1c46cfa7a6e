import { queryOptions } from '@tanstack/react-query';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { ownTables, supabase } from '../../../ui/session/client.ts';
import type { FileRecord } from '../file-record.web.ts';

const PAGE = 1000;

/** A row of `user_files`; the tags of a file stand in a table of their own. */
type FileRow = Omit<FileRecord, 'tags'>;
interface TagRow {
  readonly file_id: string;
  readonly tags: readonly string[];
}

/**
 * The user's files, newest first (docs/specification/site.md §7).
 *
 * @throws Error 'Failed to load files'
 */
export function filesQuery(userId: string) {
  return queryOptions({
    queryKey: ['files', userId],
    queryFn: async ({ signal }): Promise<FileRecord[]> => {
      const [files, tagged] = await Promise.all([
        readPages((from) => readFiles(userId, from, signal)),
        readPages((from) => readTags(userId, from, signal)),
      ]);
      const tags = new Map(tagged.map((row) => [row.file_id, row.tags]));
      return withoutDoubles(files).map((file) => ({ ...file, tags: tags.get(file.id) ?? [] }));
    },
  });
}

/** The data service returns at most a thousand rows; a page that is not full is the last one. */
async function readPages<Row>(read: (from: number) => Promise<Row[]>): Promise<Row[]> {
  const rows: Row[] = [];
  for (;;) {
    const page = await read(rows.length);
    rows.push(...page);
    if (page.length < PAGE) return rows;
  }
}

async function readFiles(userId: string, from: number, signal: AbortSignal): Promise<FileRow[]> {
  const client = await supabase();
  const { data, error } = await client
    .from('user_files')
    .select('*')
    .eq('user_id', userId)
    .is('deleted_at', null)
    .order('created_at', { ascending: false })
    .order('id')
    .range(from, from + PAGE - 1)
    .abortSignal(signal)
    .returns<FileRow[]>();
  if (error !== null) throw new Error(MESSAGES.listing.failed, { cause: error });
  return data;
}

async function readTags(userId: string, from: number, signal: AbortSignal): Promise<TagRow[]> {
  const { data, error } = await (await ownTables())
    .from('file_tags')
    .select('file_id, tags')
    .eq('user_id', userId)
    .order('file_id')
    .range(from, from + PAGE - 1)
    .abortSignal(signal)
    .returns<TagRow[]>();
  if (error !== null) throw new Error(MESSAGES.listing.failed, { cause: error });
  return data;
}

/** A file that was added between two pages moves the others by one, so that one of them comes twice. */
function withoutDoubles(files: readonly FileRow[]): FileRow[] {
  return [...new Map(files.map((file) => [file.id, file])).values()];
}
