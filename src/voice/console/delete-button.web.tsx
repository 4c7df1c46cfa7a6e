import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import type { OperatorFunctionName } from '../../business/console/operator-roles.contract.ts';
import { useMay } from '../../business/console/parts/console-role.web.tsx';
import { postAsOperator } from '../../business/console/parts/operator-client.web.ts';
import { Button } from '../../ui/parts/button.tsx';

interface DeleteButtonProps {
  /** The console's function that deletes. */
  readonly does: Extract<OperatorFunctionName, `delete-${string}`>;
  readonly id: string;
  /** The button's text, and the message when it is done. */
  readonly label: string;
  readonly done: string;
  readonly onDeleted: () => void;
}

/** A button that deletes something when it is pressed a second time. */
export function DeleteButton({ does, id, label, done, onDeleted }: DeleteButtonProps) {
  const queries = useQueryClient();
  const may = useMay(does);
  const [asked, setAsked] = useState(false);
  const [busy, setBusy] = useState(false);
  const remove = async (): Promise<void> => {
    setBusy(true);
    try {
      await postAsOperator(queries, does, { id });
      toast.success(done);
      onDeleted();
    } catch (error) {
      toast.error((error as Error).message);
    } finally {
      setBusy(false);
    }
  };
  if (!may) return null;
  return (
    <div className="console-acts">
      {asked && (
        <Button small look="quiet" onClick={() => setAsked(false)}>
          Keep it
        </Button>
      )}
      <Button
        small
        look={asked ? 'danger' : 'quiet'}
        busy={busy}
        onClick={() => (asked ? void remove() : setAsked(true))}
      >
        {asked ? 'Really delete it' : label}
      </Button>
    </div>
  );
}
