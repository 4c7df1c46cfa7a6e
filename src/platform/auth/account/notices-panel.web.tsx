import type { User } from '@supabase/supabase-js';
import { useState } from 'react';
import { supabase } from '../../../ui/session/client.ts';
import { useSubmission } from '../site/submission.web.ts';

/** Mails that people can switch off: the name in the metadata, and the label. */
const NOTICES = {
  analysis: 'Write to me when documents that I sent for analysis are ready',
  messages: 'Write to me when I have a message that I have not read',
} as const;
type Notices = Partial<Record<keyof typeof NOTICES, boolean>>;

/** Lets the user choose which mails to get; mails about the safety of the account always come. */
export function NoticesPanel({ user }: { user: User }) {
  const [wanted, setWanted] = useState<Notices>(user.user_metadata.notices ?? {});
  const { busy, error, run } = useSubmission(() => {});
  const change = (name: keyof Notices, value: boolean): Promise<void> =>
    run(async () => {
      const notices = { ...wanted, [name]: value };
      setWanted(notices);
      const { auth } = await supabase();
      const { error: refusal } = await auth.updateUser({ data: { notices } });
      if (refusal === null) return;
      setWanted(wanted);
      throw refusal;
    });
  return (
    <section className="panel pad" aria-labelledby="notices">
      <h2 id="notices" tabIndex={-1}>
        Mails
      </h2>
      {(Object.keys(NOTICES) as (keyof Notices)[]).map((name) => (
        <label className="notice-choice" key={name}>
          <input
            type="checkbox"
            checked={wanted[name] !== false}
            disabled={busy}
            onChange={(event) => void change(name, event.currentTarget.checked)}
          />
          <span>{NOTICES[name]}</span>
        </label>
      ))}
      {error !== undefined && (
        <p className="fault" role="alert">
          {error}
        </p>
      )}
    </section>
  );
}
