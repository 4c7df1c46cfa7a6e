import { useState } from 'react';
import { PAGES, SERVICES } from '../../../kernel/contract/routes.ts';
import { Button, ButtonLink } from '../../../ui/parts/button.tsx';
import { FormError } from '../../../ui/parts/form-error.tsx';
import { supabase } from '../../../ui/session/client.ts';
import { callServer } from '../../../ui/session/server-call.ts';
import { FIRST_OPERATOR_FRAGMENT } from '../console.contract.ts';

/** The token in an address such as `/operator#owner=…`; else empty. */
export function firstOperatorToken(address: string): string {
  const fragment = address.slice(address.indexOf('#') + 1);
  return fragment.startsWith(FIRST_OPERATOR_FRAGMENT) ? fragment.slice(FIRST_OPERATOR_FRAGMENT.length) : '';
}

interface FirstOperatorProps {
  readonly email: string;
  readonly token: string;
  /** Called when the account has the console and its new token. */
  readonly onDone: () => void;
}

/** Asks whether this account shall be the first operator's, and says what to do next once it is. */
export function FirstOperator({ email, token, onDone }: FirstOperatorProps) {
  const [state, setState] = useState<'asked' | 'busy' | 'done'>('asked');
  const [error, setError] = useState<string>();
  const claim = async (): Promise<void> => {
    setState('busy');
    setError(undefined);
    try {
      await callServer(`${SERVICES.functions}/claim-console`, { as: 'user', body: { token } });
      // The right is in the next access token.
      await (await supabase()).auth.refreshSession();
      setState('done');
    } catch (refusal) {
      setError((refusal as Error).message);
      setState('asked');
    }
  };
  if (state === 'done') {
    return (
      <div className="panel empty">
        <h1>The console is yours</h1>
        <p className="meta">
          Set up a second factor now: a password alone protects every enquiry and every customer. It ends with
          recovery codes.
        </p>
        <p className="account-acts">
          <ButtonLink look="signal" href={`${PAGES.account.path}#second-factor`}>
            Set up a second factor
          </ButtonLink>
          <Button look="quiet" onClick={onDone}>
            Open the console
          </Button>
        </p>
      </div>
    );
  }
  return (
    <div className="panel empty">
      <h1>Make the console yours</h1>
      <p className="meta">
        {email} becomes the first operator: the person who reads enquiries, answers customers and edits the
        site. Others come in by your word.
      </p>
      {error === undefined ? null : <FormError>{error}</FormError>}
      <p className="account-acts">
        <Button look="signal" busy={state === 'busy'} onClick={() => void claim()}>
          Take the console
        </Button>
      </p>
    </div>
  );
}
