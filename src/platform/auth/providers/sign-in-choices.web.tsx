import { KeyRound } from 'lucide-react';
import { PAGES } from '../../../kernel/contract/routes.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { FormError } from '../../../ui/parts/form-error.tsx';
import { supabase } from '../../../ui/session/client.ts';
import { useSubmission } from '../site/submission.web.ts';
import { useSignInWays } from './sign-in-settings.web.ts';

interface SignInChoicesProps {
  /** False on the sign-up page, because a passkey needs an account first. */
  readonly withPasskey: boolean;
  /** `?session_id=…` of a payment that waits for an account, or empty. */
  readonly query: string;
  readonly onBusy: (busy: boolean) => void;
  readonly onSignedIn: () => Promise<void>;
}

/**
 * The other ways to sign in, under the form: a passkey and the configured providers. Shows nothing when there
 * are none.
 */
export function SignInChoices({ withPasskey, query, onBusy, onSignedIn }: SignInChoicesProps) {
  const ways = useSignInWays();
  const { busy, error, run } = useSubmission(onBusy);
  const passkeys = withPasskey && ways?.passkeys === true;
  if (ways === undefined || (!passkeys && ways.providers.length === 0)) return null;

  const signInWithPasskey = (): Promise<void> =>
    run(async () => {
      const client = await supabase();
      const { error: refusal } = await client.auth.signInWithPasskey();
      if (refusal !== null) throw refusal;
      await onSignedIn();
    });
  const leaveFor = (provider: string): Promise<void> =>
    run(async () => {
      const client = await supabase();
      const { error: refusal } = await client.auth.signInWithOAuth({
        provider: provider as 'google',
        options: { redirectTo: `${location.origin}${PAGES.login.path}${query}` },
      });
      if (refusal !== null) throw refusal;
    });
  return (
    <section className="other-ways" aria-label="Other ways to sign in">
      <p className="other-ways-or">or</p>
      {error !== undefined && <FormError>{error}</FormError>}
      {passkeys && (
        <Button look="quiet" busy={busy} onClick={() => void signInWithPasskey()}>
          <KeyRound size={18} aria-hidden="true" />
          Sign in with a passkey
        </Button>
      )}
      {ways.providers.map(({ name, label }) => (
        <Button key={name} look="quiet" busy={busy} onClick={() => void leaveFor(name)}>
          Continue with {label}
        </Button>
      ))}
    </section>
  );
}
