import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import type { OperatorAction } from '../console.contract.ts';
import type { OperatorFunctionName } from '../operator-roles.contract.ts';
import { postAsOperator } from './operator-client.web.ts';

/** The message when something is done, or how its answer is put into one; none without it. */
type DoneMessage<T> = string | ((answer: T) => string) | undefined;

/** Calls one function of the console at a time. `ask` returns its answer, or undefined after a message why there is none. */
export function useOperatorCall(): {
  readonly busy: boolean;
  ask<T>(name: OperatorFunctionName, body: object, done?: DoneMessage<T>): Promise<T | undefined>;
} {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  return {
    busy,
    async ask<T>(name: OperatorFunctionName, body: object, done?: DoneMessage<T>): Promise<T | undefined> {
      if (busy) return undefined;
      setBusy(true);
      try {
        const answer = await postAsOperator<T>(queries, name, body);
        if (done !== undefined) toast.success(typeof done === 'string' ? done : done(answer));
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

/** Does one action at a time and reports its outcome. */
export function useOperatorAction(): {
  readonly busy: boolean;
  act(action: OperatorAction, done: string | ((outcome: unknown) => string)): Promise<void>;
} {
  const { busy, ask } = useOperatorCall();
  return {
    busy,
    async act(action, done) {
      await ask<{ done: unknown }>(
        'act',
        action,
        typeof done === 'string' ? done : (answer) => done(answer.done),
      );
    },
  };
}
