import { queryOptions } from '@tanstack/react-query';
import { ownTables } from '../../../ui/session/client.ts';
import { callServer } from '../../../ui/session/server-call.ts';
import { CORRECT_FACT, type Correction, type Fact, FORGET_CORRECTION } from './fact-correction.contract.ts';

/** The corrections of a file's report. Its key starts with `files`, so that a change of the file fetches it again. */
export function correctionsQuery(userId: string, fileId: string) {
  return queryOptions({
    queryKey: ['files', userId, fileId, 'corrections'],
    queryFn: async ({ signal }): Promise<Correction[]> => {
      const { data, error } = await (await ownTables())
        .from('analysis_corrections')
        .select('key, original, value, normalized, corrected_at, precedent_id')
        .eq('file_id', fileId)
        .abortSignal(signal)
        .returns<Correction[]>();
      if (error !== null) throw new Error('The corrections could not be loaded.', { cause: error });
      return data;
    },
  });
}

/** Forgets an earlier correction, by which this document was read. @throws CallRefused with the sentence for the user */
export async function forgetCorrection(precedentId: string): Promise<void> {
  await callServer(FORGET_CORRECTION, { as: 'user', body: { precedent_id: precedentId } });
}

/**
 * Corrects a fact, or with null removes its correction.
 *
 * @throws CallRefused with the sentence for the user
 */
export async function correctFact(fileId: string, fact: Fact, value: string | null): Promise<void> {
  const original = fact.correction?.original ?? fact.value;
  await callServer(CORRECT_FACT, {
    as: 'user',
    body: { file_id: fileId, key: fact.key, original, value },
  });
}
