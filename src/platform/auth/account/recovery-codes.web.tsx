import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../../ui/parts/button.tsx';
import { supabase } from '../../../ui/session/client.ts';
import { useSubmission } from '../site/submission.web.ts';

const KEY = ['recovery codes'];

/** Shows how many recovery codes are left, and creates new ones, which are shown only once. */
export function RecoveryCodes() {
  const queries = useQueryClient();
  const [codes, setCodes] = useState<readonly string[]>();
  const { busy, error, run } = useSubmission(() => {});
  const query = useQuery({ queryKey: KEY, queryFn: readRemaining });
  const make = (): Promise<void> =>
    run(async () => {
      const { recoveryCodes } = (await supabase()).auth.mfa;
      const { data, error: refusal } = await (query.data === null
        ? recoveryCodes.generate()
        : recoveryCodes.regenerate());
      if (refusal !== null) throw refusal;
      setCodes(data.codes);
      await queries.invalidateQueries({ queryKey: KEY });
    });
  return (
    <div className="recovery">
      <h3>Recovery codes</h3>
      <p className="meta">
        {query.data === null || query.data === undefined
          ? 'Each signs you in once when your phone is lost. Keep them where you keep papers.'
          : `${query.data} of your recovery codes are unused. New ones replace all of them.`}
      </p>
      {codes !== undefined && (
        <>
          <ul className="codes num" aria-label="Your recovery codes">
            {codes.map((code) => (
              <li key={code}>
                <code>{code}</code>
              </li>
            ))}
          </ul>
          <p className="meta" role="status">
            These are shown only now: print them or write them down.
          </p>
        </>
      )}
      {error !== undefined && (
        <p className="fault" role="alert">
          {error}
        </p>
      )}
      {query.data !== undefined && (
        <Button small look="quiet" busy={busy} onClick={() => void make()}>
          {query.data === null ? 'Make recovery codes' : 'Make new recovery codes'}
        </Button>
      )}
    </div>
  );
}

/** The number of unused codes; null when no set exists. */
async function readRemaining(): Promise<number | null> {
  const { data, error } = await (await supabase()).auth.mfa.recoveryCodes.getStatus();
  if (error?.code === 'mfa_factor_not_found') return null;
  if (error !== null) throw error;
  return data.remaining;
}
