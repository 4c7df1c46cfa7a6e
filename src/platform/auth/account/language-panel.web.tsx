import type { User } from '@supabase/supabase-js';
import { useState } from 'react';
import { LANGUAGE_NAMES, LANGUAGES, type Language, languageOf } from '../../../kernel/contract/languages.ts';
import { supabase } from '../../../ui/session/client.ts';
import { useSubmission } from '../site/submission.web.ts';

const CHOICES: readonly (readonly [Language | undefined, string])[] = [
  [undefined, 'Automatic'],
  ...LANGUAGES.map((language) => [language, LANGUAGE_NAMES[language]] as const),
];

/** The language of messages to the user (`user_metadata.locale`); the pages themselves do not change. */
export function LanguagePanel({ user }: { user: User }) {
  const stored: unknown = user.user_metadata.locale;
  const [chosen, setChosen] = useState(typeof stored === 'string' ? languageOf(stored) : undefined);
  const { busy, error, run } = useSubmission(() => {});
  const choose = (language: Language | undefined): Promise<void> =>
    run(async () => {
      setChosen(language);
      const { auth } = await supabase();
      const { error: refusal } = await auth.updateUser({ data: { locale: language ?? null } });
      if (refusal === null) return;
      setChosen(chosen);
      throw refusal;
    });
  return (
    <section className="panel pad" aria-labelledby="language">
      <h2 id="language">Language of mails and messages</h2>
      <p className="meta">
        For mails, text messages and notices that come from this site. What people write to you stays as they
        wrote it.
      </p>
      <fieldset className="appearance" aria-labelledby="language" aria-busy={busy}>
        {CHOICES.map(([language, text]) => (
          <label key={text} lang={language}>
            <input
              type="radio"
              name="language"
              checked={chosen === language}
              disabled={busy}
              onChange={() => void choose(language)}
            />
            {text}
          </label>
        ))}
      </fieldset>
      {error !== undefined && (
        <p className="fault" role="alert">
          {error}
        </p>
      )}
    </section>
  );
}
