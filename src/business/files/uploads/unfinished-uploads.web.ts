import { queryOptions } from '@tanstack/react-query';
import { ownTables } from '../../../ui/session/client.ts';
import { lostLine } from './object-send.web.ts';

/** An upload that has not arrived whole: `unfinished_uploads()`. */
export interface UnfinishedUpload {
  readonly id: string;
  /** Where its object will lie. */
  readonly path: string;
  readonly file_name: string;
  /** When its file was changed last, epoch ms; null where its sender did not say. */
  readonly modified: number | null;
  /** Bytes that are safe, and bytes of the whole. */
  readonly received: number;
  readonly length: number;
}

/** The user's uploads into a bucket that have not arrived whole, from whatever browser they came. */
export function unfinishedQuery(userId: string, bucket: string) {
  return queryOptions({
    queryKey: ['unfinished', bucket, userId],
    queryFn: () => readUnfinished(bucket),
  });
}

/** The same, once. @throws SendError `network` where no reply came, else the service's error */
export async function readUnfinished(bucket: string): Promise<readonly UnfinishedUpload[]> {
  const { data, error, status } = await (await ownTables()).rpc('unfinished_uploads', { p_bucket: bucket });
  if (error === null) return data as UnfinishedUpload[];
  throw status === 0 ? lostLine() : error;
}

/** Whether an unfinished upload is one of this very file, as far as a browser can tell. */
export function isOfFile(
  { file_name, length, modified }: UnfinishedUpload,
  { name, size, lastModified }: Pick<File, 'name' | 'size' | 'lastModified'>,
): boolean {
  return file_name === name.normalize('NFC') && length === size && modified === lastModified;
}
