import { useQueryClient } from '@tanstack/react-query';
import { UPLOADS_BUCKET } from '../../../kernel/contract/limits.ts';
import { PICKER_ACCEPT } from '../../../platform/storage/content/upload-types.contract.ts';
import type { FileRecord } from '../file-record.web.ts';
import { uploads } from './upload-queue.web.ts';
import { UploadRows } from './upload-rows.web.tsx';

/** The documents being uploaded. */
export function UploadList({ files, userId }: { files: readonly FileRecord[]; userId: string }) {
  const queries = useQueryClient();
  const names = new Set(files.map((file) => file.file_name));
  return (
    <UploadRows
      queue={uploads}
      bucket={UPLOADS_BUCKET}
      userId={userId}
      accept={PICKER_ACCEPT}
      finishing="Checking the file"
      noteOf={({ name }) =>
        names.has(name.normalize('NFC')) ? 'You have a file of this name already. Both are kept.' : undefined
      }
      onEnded={() => {
        for (const key of ['unfinished', 'customer']) void queries.invalidateQueries({ queryKey: [key] });
      }}
    />
  );
}
