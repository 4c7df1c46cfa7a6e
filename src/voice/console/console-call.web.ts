import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { postAsOperator } from '../../business/console/parts/operator-client.web.ts';

/** Calls one function of the console at a time. `ask` returns its answer, or undefined after a message why there is none. */
export function useConsoleCall(): {
  readonly busy: boolean;
  ask<T>(name: string, body: object, done?: string): Promise<T | undefined>;
} {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  return {
    busy,
    async ask<T>(name: string, body: object, done?: string): Promise<T | undefined> {
      if (busy) return undefined;
      setBusy(true);
      try {
        const answer = await postAsOperator<T>(queries, name, body);
        if (done !== undefined) toast.success(done);
        return answer;
      } catch (error) {
        toast.error((error as Error).message);
        return undefined;
      } finally {
        setBusy(false);
      }
    },
  };
}
