import type { User } from '@supabase/supabase-js';
import { useState } from 'react';
import { supabase } from '../../../ui/session/client.ts';
import { useSubmission } from '../site/submission.web.ts';

/** Which mails the user wants; those about the safety of the account always come. */
export function NoticesPanel({ user }: { user: User }) {
  const notices = user.user_metadata.notices as { analysis?: boolean } | undefined;
  const [wanted, setWanted] = useState(notices?.analysis !== false);
  const { busy, error, run } = useSubmission(() => {});
  const change = (analysis: boolean): Promise<void> =>
    run(async () => {
      setWanted(analysis);
      const { auth } = await supabase();
      const { error: refusal } = await auth.updateUser({ data: { notices: { ...notices, analysis } } });
      if (refusal === null) return;
      setWanted(!analysis);
      throw refusal;
    });
  return (
    <section className="panel pad" aria-labelledby="notices">
      <h2 id="notices" tabIndex={-1}>
        Mails
      </h2>
      <label className="notice-choice">
        <input
          type="checkbox"
          checked={wanted}
          disabled={busy}
          onChange={(event) => void change(event.currentTarget.checked)}
        />
        <span>Write to me when documents that I sent for analysis are ready</span>
      </label>
      {error !== undefined && (
        <p className="fault" role="alert">
          {error}
        </p>
      )}
    </section>
  );
}
