import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { SERVICES } from '../../../kernel/contract/routes.ts';
import { CallRefused, callPatiently } from '../../../ui/session/server-call.ts';
import type { FileRecord } from '../file-record.web.ts';

/**
 * Requests an analysis, which is free and may be repeated (docs/specification/site.md §10). The server checks
 * that the object exists, and deletes the record if it does not.
 *
 * @throws Error with the sentence for the user
 */
export async function analyzeFile(file: Pick<FileRecord, 'id'>, password?: string): Promise<void> {
  const body = { file_id: file.id, ...(password === undefined ? {} : { password }) };
  await callPatiently(SERVICES.analyze, { as: 'user', body }).catch((cause: unknown) => {
    const sentence = cause instanceof CallRefused ? cause.sentence : undefined;
    throw new Error(sentence ?? MESSAGES.analysis.failed, { cause });
  });
}
