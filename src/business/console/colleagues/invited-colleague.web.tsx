import { type ReactNode, useEffect, useState } from 'react';
import { PAGES } from '../../../kernel/contract/routes.ts';
import { site } from '../../../ui/brand.ts';
import { Button, ButtonLink } from '../../../ui/parts/button.tsx';
import { FormError } from '../../../ui/parts/form-error.tsx';
import { supabase } from '../../../ui/session/client.ts';
import { callServer } from '../../../ui/session/server-call.ts';
import { INVITED_AS, ROLE_SENTENCES } from './colleague-words.web.ts';
import { COLLEAGUE_FRAGMENT, COLLEAGUE_FUNCTIONS, type ColleagueInvitation } from './colleagues.contract.ts';

/** The secret in an address such as `/operator#colleague=…`; else empty. */
export function colleagueToken(address: string): string {
  const fragment = address.slice(address.indexOf('#') + 1);
  return fragment.startsWith(COLLEAGUE_FRAGMENT) ? fragment.slice(COLLEAGUE_FRAGMENT.length) : '';
}

interface InvitedColleagueProps {
  readonly token: string;
  /** The address of the account that is signed in; undefined for a visitor. */
  readonly account: string | undefined;
  /** Whether that account has a second factor. */
  readonly hasFactor: boolean;
  /** The panel that sets one up. */
  readonly setUp: ReactNode;
  /** Leads a visitor to a page that signs in or up, and back here. */
  readonly onEnter: (page: string) => void;
  /** Called when the account has the console and its new token. */
  readonly onDone: () => void;
}

/** Who invites to what, then an account, then a second factor, and then the console. */
export function InvitedColleague(props: InvitedColleagueProps) {
  const { token } = props;
  const [invitation, setInvitation] = useState<ColleagueInvitation>();
  const [refusal, setRefusal] = useState<string>();
  useEffect(() => {
    let left = false;
    callServer(COLLEAGUE_FUNCTIONS.look, { as: 'visitor', body: { token } })
      .then(async (reply) => {
        const found = (await reply.json()) as ColleagueInvitation;
        if (!left) setInvitation(found);
      })
      .catch((error: Error) => left || setRefusal(error.message));
    return () => {
      left = true;
    };
  }, [token]);
  if (refusal !== undefined)
    return (
      <div className="panel empty" role="alert">
        <h1>You were invited to the console</h1>
        <p className="meta">{refusal}</p>
        <ButtonLink href={PAGES.operator.path}>Go to the console</ButtonLink>
      </div>
    );
  if (invitation === undefined)
    return (
      <p className="meta" aria-busy="true">
        One moment…
      </p>
    );
  return (
    <>
      <div className="panel empty">
        <h1>You are invited to the console of {site.brand}</h1>
        <p>
          {invitation.inviter} invites you as {INVITED_AS[invitation.role]}.
        </p>
        <p className="meta">{ROLE_SENTENCES[invitation.role]}</p>
        <NextStep {...props} invitation={invitation} />
      </div>
      {props.account === invitation.email && !props.hasFactor && props.setUp}
    </>
  );
}

type StepProps = InvitedColleagueProps & { readonly invitation: ColleagueInvitation };

function NextStep({ token, account, hasFactor, onEnter, onDone, invitation: { email } }: StepProps) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  if (account === undefined)
    return (
      <>
        <p>Sign in or create an account with {email}.</p>
        <div className="console-acts">
          <Button look="signal" onClick={() => onEnter(PAGES.signup.path)}>
            Create an account
          </Button>
          <Button look="quiet" onClick={() => onEnter(PAGES.login.path)}>
            Sign in
          </Button>
        </div>
      </>
    );
  if (account !== email)
    return (
      <p role="alert">
        You are signed in as {account}. The invitation is for {email}: sign out, then open the link of the
        mail again.
      </p>
    );
  if (!hasFactor)
    return <p>Set up a second factor first. It ends with recovery codes; then the console opens.</p>;
  const accept = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await callServer(COLLEAGUE_FUNCTIONS.accept, { as: 'user', body: { token } });
      // The right is in the next access token.
      await (await supabase()).auth.refreshSession();
      onDone();
    } catch (refused) {
      setError((refused as Error).message);
      setBusy(false);
    }
  };
  return (
    <>
      {error !== undefined && <FormError>{error}</FormError>}
      <div className="console-acts">
        <Button look="signal" busy={busy} onClick={() => void accept()}>
          Accept and open the console
        </Button>
      </div>
    </>
  );
}
