import { ServiceError } from '../../contract/service-error.ts';
import type { Queries } from '../database/database.ts';

/**
 * Why a mail is sent, which decides whether a suppression applies to it:
 * - `account`: the person has just requested it, or it is about the safety of the account. It is held back
 *   only from an address that was refused a moment ago.
 * - `service`: about something that the person does with us. Not sent to addresses that bounce or complained.
 * - `optional`: a mail that people can do without; carries a one-click unsubscribe link.
 */
export type MailPurpose = 'account' | 'service' | 'optional';

/** Why an address gets no more mails. */
export interface Suppression {
  readonly address: string;
  readonly reason: 'bounce' | 'complaint' | 'unsubscribe' | 'operator';
  readonly source: 'smtp' | 'notice' | 'link' | 'console';
  readonly detail: string;
}

/** After a refusal, even mails about the account pause for this long. */
const REST_MINUTES = 15;
const DETAIL_LENGTH = 500;

/** Records a suppression. A bounce or complaint outweighs an unsubscription, which does not replace it. */
export async function suppress(queries: Queries, suppression: Suppression): Promise<void> {
  const { address, reason, source, detail } = suppression;
  await queries.run(
    `insert into private.mail_suppressions as s (address, reason, source, detail) values ($1, $2, $3, $4)
     on conflict (address) do update set updated_at = now(), reason = excluded.reason,
       source = excluded.source, detail = excluded.detail
     where excluded.reason <> 'unsubscribe'`,
    [address.toLowerCase(), reason, source, detail.toWellFormed().slice(0, DETAIL_LENGTH)],
  );
}

/** Whether mails of that purpose to an address are suppressed. */
export async function isSuppressed(
  queries: Queries,
  address: string,
  purpose: MailPurpose,
): Promise<boolean> {
  const row = await queries.maybe(
    `select reason, updated_at > now() - make_interval(mins => $2) as fresh /* not null */
     from private.mail_suppressions where address = $1`,
    [address.toLowerCase(), REST_MINUTES],
  );
  if (row === undefined) return false;
  if (purpose === 'account') return row.reason === 'bounce' && row.fresh;
  return purpose === 'optional' || row.reason !== 'unsubscribe';
}

/** Tells the person who asked for a mail that it would be held back, so that nobody waits for an answer to it. */
export const mailsStopped = (): ServiceError =>
  new ServiceError(
    422,
    'mails_stopped',
    'Mails to this address are stopped, because they came back or because the person refused them. Use another address.',
  );

/** Removes a refusal after the mail server accepted a mail for the address: it exists after all. */
export async function liftRefusal(queries: Queries, address: string): Promise<void> {
  await queries.run(
    "delete from private.mail_suppressions where address = $1 and reason = 'bounce' and source = 'smtp'",
    [address.toLowerCase()],
  );
}
