import { PAGES } from '../../../kernel/contract/routes.ts';
import { Button, ButtonLink } from '../../../ui/parts/button.tsx';
import { May } from '../parts/console-role.web.tsx';
import { useOperatorAction } from '../parts/operator-action.web.ts';
import { addressOf } from '../parts/record-address.web.ts';
import { shortTime } from '../parts/time-words.web.ts';
import type { CustomerRecord } from './customer-record.contract.ts';

/** Whether the customer lets the agency see the portal now, and how to ask for it. */
export function SupportState({ record }: { record: CustomerRecord }) {
  const { customer, support_until: until, demo } = record;
  const { user_id: id } = customer;
  return (
    <section aria-labelledby="support">
      <h2 id="support">Portal of this customer</h2>
      {until === null && !demo ? (
        <p className="meta">
          You see names and states of files, never what they say. To see the portal as this customer does, ask
          the customer to open Account and to press “Allow for an hour” at Support access.
        </p>
      ) : (
        <>
          <p>
            {until === null
              ? 'This customer is invented, so you need not ask to see the portal.'
              : `The customer lets you see it until ${shortTime(until)}.`}
          </p>
          <May call="portal" otherwise={<p className="meta">Owners and staff can open it.</p>}>
            <div className="console-acts customer-support">
              <ButtonLink small look="ink" href={`${addressOf(PAGES.operatorCustomers.path, id)}/portal`}>
                See the portal
              </ButtonLink>
              {until === null ? null : <EndAccess id={id} />}
            </div>
          </May>
        </>
      )}
    </section>
  );
}

/** Ends the access before its hour is over. */
export function EndAccess({ id }: { id: string }) {
  const { busy, act } = useOperatorAction();
  return (
    <Button
      small
      look="quiet"
      busy={busy}
      onClick={() => void act({ do: 'support.end', id }, 'The access has ended.')}
    >
      End the access
    </Button>
  );
}
