import { useState } from 'react';
import { Button } from '../../../ui/parts/button.tsx';
import { CallRefused } from '../../../ui/session/server-call.ts';
import { saveAs } from '../exports/report-exports.web.tsx';
import { readSharedScan } from './report-share.web.ts';

/** Saves the scan that the link of this page gives. */
export function SharedScan({ name }: { name: string }) {
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  const save = async (): Promise<void> => {
    setBusy(true);
    setFault(undefined);
    try {
      saveAs(await readSharedScan(location.hash.slice(1)), `${name.replace(/\.[^.]+$/, '')} searchable.pdf`);
    } catch (error) {
      const said = error instanceof CallRefused ? error.sentence : undefined;
      setFault(said ?? 'The file could not be saved. Try again.');
    } finally {
      setBusy(false);
    }
  };
  return (
    <p className="shared-scan">
      <Button small look="quiet" busy={busy} onClick={() => void save()}>
        Save the scan as a searchable PDF
      </Button>
      {fault !== undefined && (
        <span className="fault" role="alert">
          {' '}
          {fault}
        </span>
      )}
    </p>
  );
}
