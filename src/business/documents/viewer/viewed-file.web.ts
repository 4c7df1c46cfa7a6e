import { queryOptions } from '@tanstack/react-query';
import { LIMITS, UPLOADS_BUCKET } from '../../../kernel/contract/limits.ts';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { supabase } from '../../../ui/session/client.ts';
import { previewKind } from '../../files/list/preview-kind.web.ts';

/** A file beside its report. */
export interface ViewedFile {
  readonly id: string;
  readonly file_name: string;
  /** Key in the bucket of uploads. */
  readonly file_path: string;
  /** A public address; without one, a signed address is requested. */
  readonly address?: string;
}

/** How a browser can draw a file; undefined if only its text can be shown. */
export function pageKind(fileName: string): 'pdf' | 'picture' | undefined {
  const kind = previewKind(fileName);
  return kind === 'text' ? undefined : kind;
}

/** The signed address of the file, which is requested again before it expires. */
export function viewQuery(file: ViewedFile | undefined, enabled: boolean) {
  return queryOptions({
    queryKey: ['file-address', file?.id],
    enabled: enabled && file !== undefined,
    staleTime: (LIMITS.signedUrlSeconds - 300) * 1000,
    refetchOnWindowFocus: false,
    queryFn: async (): Promise<string> => {
      if (file?.address !== undefined) return file.address;
      const client = await supabase();
      const { data, error } = await client.storage
        .from(UPLOADS_BUCKET)
        .createSignedUrl(file?.file_path ?? '', LIMITS.signedUrlSeconds);
      if (error !== null) throw new Error(MESSAGES.download.noUrl, { cause: error });
      return data.signedUrl;
    },
  });
}
