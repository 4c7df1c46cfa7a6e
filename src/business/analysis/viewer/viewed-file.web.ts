import { queryOptions } from '@tanstack/react-query';
import { LIMITS, UPLOADS_BUCKET } from '../../../kernel/contract/limits.ts';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { supabase } from '../../../ui/session/client.ts';
import { previewKind } from '../../files/list/preview-kind.web.ts';

/** A file that is shown beside its report. */
export interface ViewedFile {
  readonly id: string;
  readonly file_name: string;
  /** In the bucket of uploads. */
  readonly file_path: string;
  /** Where anybody may fetch it; without one a signed address is asked for. */
  readonly address?: string;
}

/** How a browser draws a file by itself; undefined where only its text can be shown. */
export function pageKind(fileName: string): 'pdf' | 'picture' | undefined {
  const kind = previewKind(fileName);
  return kind === 'text' ? undefined : kind;
}

/** The signed address under which the file is drawn; it is asked for again before it ends. */
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
