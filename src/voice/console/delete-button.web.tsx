import { useState } from 'react';
import type { OperatorFunctionName } from '../../business/console/operator-roles.contract.ts';
import { useMay } from '../../business/console/parts/console-role.web.tsx';
import { useOperatorCall } from '../../business/console/parts/operator-action.web.ts';
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
  const may = useMay(does);
  const [asked, setAsked] = useState(false);
  const { busy, ask } = useOperatorCall();
  const remove = async (): Promise<void> => {
    if ((await ask(does, { id }, done)) !== undefined) onDeleted();
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
