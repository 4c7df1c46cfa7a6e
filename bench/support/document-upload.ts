import { setTimeout as pause } from 'node:timers/promises';
import { CREDIT_DESCRIPTION, UPLOADS_BUCKET } from '../../src/kernel/contract/limits.ts';
import type { Person } from './people.ts';

const READING_MS = 300_000;

/**
 * Stores a document as the dashboard does: credit, bytes, row. Returns its path in the bucket. @throws the
 * client's error
 */
export async function storeDocument(
  { client, id }: Person,
  name: string,
  bytes: Buffer,
  type = 'text/plain',
): Promise<string> {
  const spending = { p_user_id: id, p_amount: 1, p_description: CREDIT_DESCRIPTION };
  const credit = await client.rpc('use_credits', spending);
  if (credit.error !== null || credit.data !== true) throw new Error(`no credit: ${credit.error?.message}`);
  const path = `${id}/${name}`;
  const stored = await client.storage.from(UPLOADS_BUCKET).upload(path, bytes, { contentType: type });
  if (stored.error !== null) throw stored.error;
  const added = await client.from('user_files').insert({
    user_id: id,
    file_path: path,
    file_name: name,
    file_type: 'document',
    file_size: bytes.length,
    mime_type: type,
  });
  if (added.error !== null) throw added.error;
  return path;
}

/**
 * Stores a text and has it analysed; returns its id. @throws Error when the report does not arrive within
 * five minutes
 */
export async function analyseText(person: Person, name: string, text: string): Promise<string> {
  const { client } = person;
  const path = await storeDocument(person, name, Buffer.from(text));
  const { data } = await client.from('user_files').select('id').eq('file_path', path).single();
  const id = String(data?.id);
  const asked = await client.functions.invoke('analyze', { body: { file_id: id } });
  if (asked.error !== null) throw asked.error;
  for (const until = Date.now() + READING_MS; Date.now() < until; await pause(100)) {
    const row = await client.from('user_files').select('analyzed').eq('id', id).single();
    if (row.data?.analyzed === true) return id;
  }
  throw new Error(`${name} was not analysed within ${READING_MS / 1000} s`);
}
