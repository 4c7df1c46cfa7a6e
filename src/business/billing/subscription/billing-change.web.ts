import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { CallRefused } from '../../../ui/session/server-call.ts';
import type { BillingOverview } from './billing-management.contract.ts';
import { billingQuery, callBilling } from './billing-read.web.ts';

/** A change of the plan: one at a time, with its refusal as a sentence. */
export interface BillingChange {
  readonly busy: boolean;
  readonly refusal: CallRefused | undefined;
  /**
   * Calls a billing function that replies with the new overview, shows it at once together with the message
   * `said`.
   *
   * @returns whether it was done; if not, `refusal` says why
   */
  change(path: string, body: object, said: string): Promise<boolean>;
}

/** Changes a user's plans, and reloads what the dashboard knew about them. */
export function useBillingChange(userId: string): BillingChange {
  const queries = useQueryClient();
  const running = useRef(false);
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<CallRefused>();
  return {
    busy,
    refusal,
    async change(path, body, said) {
      if (running.current) return false;
      running.current = true;
      setBusy(true);
      setRefusal(undefined);
      try {
        const overview = await callBilling<BillingOverview>(path, body);
        queries.setQueryData(billingQuery(userId).queryKey, overview);
        for (const key of ['subscription', 'customer'])
          void queries.invalidateQueries({ queryKey: [key, userId] });
        toast.success(said);
        return true;
      } catch (error) {
        setRefusal(
          error instanceof CallRefused
            ? error
            : new CallRefused(0, { error: String(error) }, { cause: error }),
        );
        return false;
      } finally {
        running.current = false;
        setBusy(false);
      }
    },
  };
}
