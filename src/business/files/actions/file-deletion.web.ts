import { UPLOADS_BUCKET } from '../../../kernel/contract/limits.ts';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { supabase } from '../../../ui/session/client.ts';
import type { FileRecord } from '../file-record.web.ts';

/**
 * Deletes record and object for good. The record goes first: its deletion puts
 * the object on the server's list of objects to unlink in the same transaction,
 * so that a crash between the two leaves neither a record without an object nor
 * an object without an owner. A record that is gone already counts as deleted.
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
  // Any deployment of the contract deletes the object here; ours has it on its list already, so an error is its business.
  await client.storage
    .from(UPLOADS_BUCKET)
    .remove([file.file_path])
    .catch(() => undefined);
}
