import { MESSAGES } from '../../contract/messages.ts';
import { SERVICES } from '../../contract/routes.ts';
import { publicConfig } from '../../web/public-config.ts';
import { supabase } from '../../web/session/client.ts';
import type { FileRecord } from './file-record.web.ts';

/**
 * Asks for an analysis; it is free and may be asked again (`spec/readings.md`).
 * The server checks that the object exists, and deletes the record when it does not.
 *
 * @throws Error with the sentence for the user
 */
export async function analyzeFile(file: FileRecord): Promise<void> {
  const response = await send(file.id).catch((cause: unknown) => {
    if (cause instanceof Error && cause.message === MESSAGES.delete.loginAgain) throw cause;
    throw new Error(MESSAGES.analysis.failed, { cause });
  });
  if (response.ok) return;
  const reply = (await response.json().catch(() => ({}))) as { message?: string; error?: string };
  throw new Error(reply.message ?? reply.error ?? MESSAGES.analysis.failed);
}

async function send(fileId: string): Promise<Response> {
  const [client, { publicKey }] = await Promise.all([supabase(), publicConfig()]);
  const { data } = await client.auth.getSession();
  if (data.session === null) throw new Error(MESSAGES.delete.loginAgain);
  return fetch(SERVICES.analyze, {
    method: 'POST',
    headers: {
      apikey: publicKey,
      authorization: `Bearer ${data.session.access_token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ file_id: fileId }),
  });
}
