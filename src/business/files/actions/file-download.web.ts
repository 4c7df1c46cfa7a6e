import { LIMITS, UPLOADS_BUCKET } from '../../../kernel/contract/limits.ts';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { supabase } from '../../../ui/session/client.ts';
import type { FileRecord } from '../file-record.web.ts';

/**
 * Signs an address that works for an hour, and makes the browser save the file under its own name
 * (docs/specification/site.md §7, §9).
 *
 * @throws Error with the sentence for the user
 */
export async function downloadFile(file: FileRecord): Promise<void> {
  const url = await signedUrl(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = file.file_name;
  link.hidden = true;
  document.body.append(link);
  try {
    link.click();
  } catch (cause) {
    throw new Error(MESSAGES.download.failed, { cause });
  } finally {
    link.remove();
  }
}

async function signedUrl(file: FileRecord): Promise<string> {
  try {
    const client = await supabase();
    const { data, error } = await client.storage
      .from(UPLOADS_BUCKET)
      .createSignedUrl(file.file_path, LIMITS.signedUrlSeconds, { download: file.file_name });
    if (error !== null) throw error;
    return data.signedUrl;
  } catch (cause) {
    throw new Error(MESSAGES.download.noUrl, { cause });
  }
}
