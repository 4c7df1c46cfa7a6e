import { queryOptions } from '@tanstack/react-query';
import { ownTables } from '../../../ui/session/client.ts';
import { callServer } from '../../../ui/session/server-call.ts';
import { SHARE_FUNCTIONS, type Share, type SharedReport } from './report-share.contract.ts';

/** The valid links of a report. */
export function sharesQuery(userId: string, fileId: string) {
  return queryOptions({
    queryKey: ['files', userId, fileId, 'shares'],
    queryFn: async ({ signal }): Promise<Share[]> => {
      const { data, error } = await (await ownTables())
        .from('analysis_shares')
        .select('id, created_at, expires_at, opened, without_sensitive, with_scan')
        .eq('file_id', fileId)
        .gt('expires_at', new Date().toISOString())
        .order('created_at')
        .abortSignal(signal)
        .returns<Share[]>();
      if (error !== null) throw new Error('The links could not be loaded.', { cause: error });
      return data;
    },
  });
}

/** What a link shows beside or instead of the usual. */
export interface ShareChoice {
  readonly withoutSensitive: boolean;
  readonly withScan: boolean;
}

/** Creates a link; returns its address. @throws CallRefused with the sentence for the user */
export async function shareReport(
  fileId: string,
  days: number,
  { withoutSensitive, withScan }: ShareChoice,
): Promise<string> {
  const body = { file_id: fileId, days, without_sensitive: withoutSensitive, with_scan: withScan };
  const reply = await callServer(SHARE_FUNCTIONS.share, { as: 'user', body });
  return ((await reply.json()) as { url: string }).url;
}

/** Withdraws a link. @throws CallRefused with the sentence for the user */
export async function withdrawShare(id: string): Promise<void> {
  await callServer(SHARE_FUNCTIONS.withdraw, { as: 'user', body: { share_id: id } });
}

/** Deletes a report; its file stays. @throws CallRefused with the sentence for the user */
export async function deleteAnalysis(fileId: string): Promise<void> {
  await callServer(SHARE_FUNCTIONS.remove, { as: 'user', body: { file_id: fileId } });
}

/** The report of a link. @throws CallRefused, 404 if the link is no longer valid */
export async function readSharedReport(token: string, signal: AbortSignal): Promise<SharedReport> {
  const reply = await callServer(SHARE_FUNCTIONS.read, { as: 'anyone', body: { token }, signal });
  return reply.json() as Promise<SharedReport>;
}

/** The scan that a link gives, as a searchable PDF. @throws CallRefused with the sentence for the reader */
export async function readSharedScan(token: string): Promise<Blob> {
  return (await callServer(SHARE_FUNCTIONS.scan, { as: 'anyone', body: { token } })).blob();
}
