import { useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { postAsOperator } from '../../../business/console/parts/operator-client.web.ts';
import { type FileAdded, MOST_FILE_BYTES } from './assistant-editor.contract.ts';

/** Uploads a file that assistants can consult, and gives it to the assistant that is being edited. */
export function FileAdding({ onAdded }: { onAdded: (id: string) => void }) {
  const queries = useQueryClient();
  const id = useId();
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  const add = async (file: File): Promise<void> => {
    if (file.size > MOST_FILE_BYTES) return setFault('Choose a file of 10 MB at most.');
    setBusy(true);
    setFault(undefined);
    try {
      const body = { name: file.name, content: await base64Of(file) };
      onAdded((await postAsOperator<FileAdded>(queries, 'add-file', body)).id);
    } catch (error) {
      setFault((error as Error).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="file-adding">
      <label htmlFor={id}>Add a file</label>
      <input
        id={id}
        type="file"
        disabled={busy}
        aria-describedby={`${id}-state`}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file !== undefined) void add(file);
          // Lets the same file be chosen again after it was refused.
          currentTarget.value = '';
        }}
      />
      <p className={fault === undefined ? 'meta' : 'fault'} id={`${id}-state`} role="status">
        {fault ?? (busy ? 'Sending…' : 'PDF, Word, text, tables; 10 MB at most.')}
      </p>
    </div>
  );
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(reader.error ?? new Error('The file could not be read.'));
    reader.readAsDataURL(file);
  });
}
