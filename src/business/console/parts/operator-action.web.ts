import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import type { OperatorAction } from '../console.contract.ts';
import { actAsOperator } from './operator-client.web.ts';

/** Does one action at a time and reports its outcome. */
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
