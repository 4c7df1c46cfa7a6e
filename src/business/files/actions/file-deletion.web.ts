import { UPLOADS_BUCKET } from '../../../kernel/contract/limits.ts';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { supabase } from '../../../ui/session/client.ts';
import type { FileRecord } from '../file-record.web.ts';

/**
 * Deletes record and object for good. The record goes first: in the same transaction its deletion adds the
 * object to the server's list of objects to delete, so that a crash in between leaves neither a record
 * without an object nor an object without an owner. A record that no longer exists counts as deleted.
 *
 * @throws Error with the sentence for the user (docs/specification/site.md §8)
 * @trigger public.user_files delete_recorded_object
 */
export async function deleteFile(file: FileRecord): Promise<void> {
  const client = await supabase().catch((cause: unknown) => {
    throw new Error(MESSAGES.delete.failed, { cause });
  });
  const { data, error } = await client.auth.getSession();
  if (error !== null) throw new Error(MESSAGES.delete.notAuthenticated, { cause: error });
  if (data.session === null) throw new Error(MESSAGES.delete.loginAgain);
  const removal = await client.from('user_files').delete().eq('id', file.id).eq('user_id', file.user_id);
  if (removal.error !== null) {
    const unreached = removal.status === 0;
    throw new Error(unreached ? MESSAGES.delete.failed : MESSAGES.delete.database(removal.error.message));
  }
  // Any server that follows the contract deletes the object here. Ours has it on its list already, so errors
  // are ignored.
  await client.storage
    .from(UPLOADS_BUCKET)
    .remove([file.file_path])
    .catch(() => undefined);
}
