import { createHmac } from 'node:crypto';
import { networkKey } from '../../../kernel/http/client-address.ts';
import { derivedSecret } from '../../../kernel/resources/crypto/secrets.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';

/** How many accounts of one network get free credits in a day. */
const MOST_A_DAY = 3;
/** How many accounts of the installation get free credits in a day: somebody with many networks finds an end too. */
const MOST_IN_ALL = 200;
/** Days for which an address without an account is remembered. */
const REMEMBERED_DAYS = 365;
const ROUND_SECONDS = 3600;
/** Mail hosts that ignore dots in an address. */
const DOTLESS = new Set(['gmail.com', 'googlemail.com']);

/** An account whose address has just been confirmed. */
export interface ConfirmedAccount {
  readonly id: string;
  readonly email: string;
}

/**
 * One spelling for all addresses of a mailbox: lower case, nothing from a plus sign on, and no dots at Gmail.
 *
 * @example mailboxOf('Ann.Lee+try@googlemail.com') // 'annlee@gmail.com'
 */
export function mailboxOf(address: string): string {
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1).toLowerCase();
  const [name = ''] = address.slice(0, at).toLowerCase().split('+');
  return DOTLESS.has(domain) ? `${name.replaceAll('.', '')}@gmail.com` : `${name}@${domain}`;
}

/**
 * Gives new accounts the credits of FREE_CREDITS, in the transaction that confirms their address: once for
 * each account and mailbox, also after the account's deletion, to at most three accounts a day in one network (an
 * IPv4 address or an IPv6 /48), and to 200 a day in all. Gives nothing when the setting is 0.
 *
 * @returns the function to call with the account and the client's network address
 * @trigger public.credit_transactions open_credit_grant
 * @trigger public.customers announce
 */
export function createFreeCredits({
  settings,
  keys,
  jobs,
  database,
  log,
}: Resources): (queries: Queries, account: ConfirmedAccount, address: string) => Promise<void> {
  const key = derivedSecret(keys, 'free credits');
  const digest = (kind: string, text: string): Buffer =>
    createHmac('sha256', key).update(`${kind} ${text}`).digest();
  jobs.everyByOne('old free credits', ROUND_SECONDS, () => forgetFreeCredits(database));
  return async (queries, { id, email }, address) => {
    if (settings.FREE_CREDITS === 0) return;
    const { today } = await queries.one(
      "select count(*)::int as today from private.free_credits where given_at > now() - interval '1 day'",
    );
    if (today >= MOST_IN_ALL) {
      log.warn({ user: id }, `a new account got no free credits: ${MOST_IN_ALL} others had them today`);
      return;
    }
    const { given } = await queries.one('select private.grant_free_credits($1, $2, $3, $4, $5) as given', [
      id,
      settings.FREE_CREDITS,
      digest('mailbox', mailboxOf(email)),
      digest('network', networkKey(address)),
      MOST_A_DAY,
    ]);
    if (!given) log.info({ user: id }, 'a new account got no free credits: its address or network had them');
  };
}

/** Runs one round: deletes networks after a day, and addresses without an account after a year. */
export async function forgetFreeCredits(database: Queries): Promise<void> {
  await database.many('select private.forget_free_credits($1)', [REMEMBERED_DAYS]);
}
