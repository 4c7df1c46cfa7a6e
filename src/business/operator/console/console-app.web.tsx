import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { PAGES } from '../../contract/routes.ts';
import { Button, ButtonLink } from '../../web/parts/button.tsx';
import { ErrorBoundary } from '../../web/parts/error-boundary.tsx';
import { OperatorRefused, operatorQuery } from './ask-operator.web.ts';
import { CustomersRoom } from './customers-room.web.tsx';
import { EnquiriesRoom } from './enquiries-room.web.tsx';
import { EventsRoom } from './events-room.web.tsx';
import { MailRoom } from './mail-room.web.tsx';
import { type OperatorOverview, SECOND_FACTOR_NEEDED } from './operator.contract.ts';
import { SecondFactor } from './second-factor.web.tsx';

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
