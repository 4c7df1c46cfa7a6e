import { useEffect, useRef, useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { Button } from '../../../ui/parts/button.tsx';
import { supabase } from '../../../ui/session/client.ts';
import { useSubmission } from '../site/submission.web.ts';
import { reloadSession } from './deletion-notice.web.tsx';
import { RecoveryCodeSheet } from './recovery-code-sheet.web.tsx';
import { createRecoveryCodes, keepRecoveryCodes } from './recovery-codes.web.ts';

/**
 * The last step of setting up a second factor, in place of the page: without recovery codes a lost phone would
 * lose the account. It comes again on the next page until the person has kept the codes.
 */
export function RecoveryCodesStep() {
  const [codes, setCodes] = useState<readonly string[]>();
  const { busy, error, run } = useSubmission(() => {});
  const begun = useRef(false);
  const title = useRef<HTMLHeadingElement>(null);
  const begin = (): Promise<void> =>
    run(async () => {
      // The stored session can be older than codes that another device made: those stay valid.
      if (await hasKeptCodes()) await reloadSession();
      else setCodes(await createRecoveryCodes());
    });
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, because each time replaces the codes
  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    title.current?.focus();
    void begin();
  }, []);
  const keep = (): Promise<void> =>
    run(async () => {
      await keepRecoveryCodes();
      toast.success('Your second factor is on, and you have its recovery codes');
    });
  return (
    <section className="panel pad factor" aria-labelledby="codes-title" aria-busy={busy}>
      <h1 id="codes-title" ref={title} tabIndex={-1}>
        Last step: keep your recovery codes
      </h1>
      <p className="meta">
        Each code signs you in once when your phone is lost. Keep them where you keep papers, not on that phone.
      </p>
      {codes !== undefined && <RecoveryCodeSheet codes={codes} onKept={() => void keep()} busy={busy} />}
      {error !== undefined && (
        <p className="fault" role="alert">
          {error}{' '}
          {codes === undefined && (
            <Button small look="quiet" onClick={() => void begin()}>
              Try again
            </Button>
          )}
        </p>
      )}
    </section>
  );
}

async function hasKeptCodes(): Promise<boolean> {
  const { data, error } = await (await supabase()).auth.getUser();
  if (error !== null) throw error;
  const { factors = [], user_metadata: own } = data.user;
  return (
    own.recovery_codes_unkept !== true && factors.some(({ factor_type: type }) => String(type) === 'recovery_code')
  );
}
