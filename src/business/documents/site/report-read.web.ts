import type { Block, Report } from '@northline/document-reader/report.contract';
import { queryOptions } from '@tanstack/react-query';
import { ownTables } from '../../../ui/session/client.ts';
import type { FileRecord } from '../../files/file-record.web.ts';

/** A stored report, and the text that it cites. */
export interface StoredReport {
  readonly report: Report;
  readonly blocks: readonly Block[];
}

/**
 * One file that the user may see, their own or one that the team shares; null otherwise, as the row policies decide. Its
 * key starts with `files`, so that a change from Realtime fetches it again.
 */
export function fileQuery(userId: string, fileId: string) {
  return queryOptions({
    queryKey: ['files', userId, fileId],
    queryFn: async ({ signal }): Promise<FileRecord | null> => {
      const { data, error } = await (await ownTables())
        .from('files')
        .select('*')
        .eq('id', fileId)
        .abortSignal(signal)
        .maybeSingle<FileRecord>();
      // The address holds no valid id: the page is the same as for a deleted file.
      if (error?.code === '22P02') return null;
      if (error !== null) throw new Error('The document could not be loaded.', { cause: error });
      return data;
    },
  });
}

/** The report of a file, or null before there is one. `version` changes with the file. */
export function reportQuery(userId: string, fileId: string, version: string) {
  return queryOptions({
    queryKey: ['files', userId, fileId, 'report', version],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<StoredReport | null> => {
      const { data, error } = await (await ownTables())
        .from('analysis_reports')
        .select('report, blocks')
        .eq('file_id', fileId)
        .abortSignal(signal)
        .maybeSingle<StoredReport>();
      if (error !== null) throw new Error('The report could not be loaded.', { cause: error });
      return data;
    },
  });
}
