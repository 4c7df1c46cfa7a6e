import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { Button } from '../../../ui/parts/button.tsx';
import { analyzeFile } from '../../files/actions/file-analysis.web.ts';
import type { FileRecord } from '../../files/file-record.web.ts';

/** Asks for the password of a locked document, and starts its analysis with it. */
export function PasswordForm({ file }: { file: FileRecord }) {
  const queries = useQueryClient();
  const field = useId();
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const password = String(new FormData(event.currentTarget).get('password') ?? '');
    if (password === '') return setFault('Type the password first.');
    setBusy(true);
    setFault(undefined);
    try {
      await analyzeFile(file, password);
    } catch (error) {
      setFault((error as Error).message);
    } finally {
      await queries.invalidateQueries({ queryKey: ['files'] });
      setBusy(false);
    }
  };
  return (
    <form className="password-form" onSubmit={(event) => void submit(event)}>
      <label htmlFor={field}>Password of the document</label>
      <input id={field} name="password" type="password" autoComplete="off" maxLength={200} />
      <Button look="signal" type="submit" busy={busy}>
        Open and analyse
      </Button>
      {fault !== undefined && (
        <p className="fault" role="alert">
          {fault}
        </p>
      )}
      <p className="meta">It is kept in memory while the document is read, and stored nowhere.</p>
    </form>
  );
}
