import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { actAsOperator } from './ask-operator.web.ts';
import type { OperatorAction } from './operator.contract.ts';

/** Does things one at a time and tells how it went. */
export function useOperatorAction(): {
  busy: boolean;
  act(action: OperatorAction, done: string | ((outcome: unknown) => string)): Promise<void>;
} {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  return {
    busy,
    async act(action, done) {
      if (busy) return;
      setBusy(true);
      try {
        const outcome = await actAsOperator(queries, action);
        toast.success(typeof done === 'string' ? done : done(outcome));
      } catch (error) {
        toast.error((error as Error).message);
      } finally {
        setBusy(false);
      }
    },
  };
}
