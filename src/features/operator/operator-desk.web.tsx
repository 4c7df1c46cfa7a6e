import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { PAGES } from '../../contract/routes.ts';
import { Button, ButtonLink } from '../../web/parts/button.tsx';
import { ErrorBoundary } from '../../web/parts/error-boundary.tsx';
import { supabase } from '../../web/session/client.ts';
import { OperatorRefused, operatorQuery } from './ask-operator.web.ts';
import { CustomersRoom } from './customers-room.web.tsx';
import { EnquiriesRoom } from './enquiries-room.web.tsx';
import { EventsRoom } from './events-room.web.tsx';
import { MailRoom } from './mail-room.web.tsx';
import { type OperatorOverview, SECOND_FACTOR_NEEDED } from './operator.contract.ts';

/** The rooms of the desk for whom the server lets in; for others, why it does not. */
export function OperatorDesk({ path }: { path: string }) {
  const query = useQuery(operatorQuery<OperatorOverview>('overview'));
  const { data, error } = query;
  if (error instanceof OperatorRefused && error.status === 403) {
    return error.code === SECOND_FACTOR_NEEDED ? <SecondFactor /> : <NotOperator />;
  }
  if (data === undefined) {
    return error === null ? (
      <p className="meta" aria-busy="true">
        One moment…
      </p>
    ) : (
      <Notice heading="The desk could not be reached" text={error.message}>
        <Button look="quiet" onClick={() => void query.refetch()}>
          Try again
        </Button>
      </Notice>
    );
  }
  return (
    <ErrorBoundary key={path}>
      {data.hasSecondFactor ? null : (
        <p className="desk-warning">
          This account signs in with a password only. Who reads enquiries and mail should set up a second
          factor.
        </p>
      )}
      <Room path={path} overview={data} />
    </ErrorBoundary>
  );
}

function Room({ path, overview }: { path: string; overview: OperatorOverview }) {
  if (path === PAGES.operatorEvents.path) return <EventsRoom />;
  if (path === PAGES.operatorMail.path) return <MailRoom />;
  if (path === PAGES.operatorCustomers.path) return <CustomersRoom />;
  return <EnquiriesRoom overview={overview} />;
}

function Notice({ heading, text, children }: { heading: string; text: string; children: ReactNode }) {
  return (
    <div className="panel empty" role="alert">
      <h1>{heading}</h1>
      <p className="meta">{text}</p>
      {children}
    </div>
  );
}

function NotOperator() {
  return (
    <Notice
      heading="This desk is the agency's own"
      text="Your account is signed in, but it is not an operator's. Ask whoever runs the server."
    >
      <ButtonLink href={PAGES.dashboard.path}>Go to your dashboard</ButtonLink>
    </Notice>
  );
}

function SecondFactor() {
  const queries = useQueryClient();
  const [fault, setFault] = useState<string>();
  const [busy, setBusy] = useState(false);
  const confirm = async (code: string): Promise<void> => {
    setBusy(true);
    try {
      const { auth } = await supabase();
      const { data } = await auth.mfa.listFactors();
      const factor = data?.totp[0];
      if (factor === undefined) throw new Error('Please sign in again with your second factor.');
      const { error } = await auth.mfa.challengeAndVerify({ factorId: factor.id, code });
      if (error !== null) throw error;
      await queries.invalidateQueries({ queryKey: ['operator'] });
    } catch (error) {
      setFault((error as Error).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      className="panel pad factor"
      onSubmit={(event) => {
        event.preventDefault();
        void confirm(String(new FormData(event.currentTarget).get('code') ?? '').trim());
      }}
    >
      <h1>Confirm that it is you</h1>
      <div className="field">
        <label htmlFor="factor-code">Code of your authenticator</label>
        <input
          id="factor-code"
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          maxLength={10}
          aria-describedby="factor-fault"
        />
      </div>
      <p id="factor-fault" className="fault" role="alert" hidden={fault === undefined}>
        {fault}
      </p>
      <Button look="signal" type="submit" busy={busy}>
        Open the desk
      </Button>
    </form>
  );
}
