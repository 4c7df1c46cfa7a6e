import { queryOptions } from '@tanstack/react-query';
import { ownTables } from '../../../ui/session/client.ts';
import { lostLine } from './object-send.web.ts';

/** An upload that has not arrived completely: a row of `unfinished_uploads()`. */
export interface UnfinishedUpload {
  readonly id: string;
  /** The future path of its object. */
  readonly path: string;
  readonly file_name: string;
  /** When its file was last changed, epoch ms; null when the sender did not say. */
  readonly modified: number | null;
  /** Bytes that are stored, and bytes of the whole file. */
  readonly received: number;
  readonly length: number;
}

/** The user's incomplete uploads into a bucket, from any browser. */
export function unfinishedQuery(userId: string, bucket: string) {
  return queryOptions({
    queryKey: ['unfinished', bucket, userId],
    queryFn: () => readUnfinished(bucket),
  });
}

/** Reads them once. @throws SendError `network` when no reply came, else the service's error */
export async function readUnfinished(bucket: string): Promise<readonly UnfinishedUpload[]> {
  const { data, error, status } = await (await ownTables()).rpc('unfinished_uploads', { p_bucket: bucket });
  if (error === null) return data as UnfinishedUpload[];
  throw status === 0 ? lostLine() : error;
}

/** Whether an unfinished upload is of this same file, as far as a browser can tell. */
export function isOfFile(
  { file_name, length, modified }: UnfinishedUpload,
  { name, size, lastModified }: Pick<File, 'name' | 'size' | 'lastModified'>,
): boolean {
  return file_name === name.normalize('NFC') && length === size && modified === lastModified;
}
