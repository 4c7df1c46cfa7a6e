import { createHmac } from 'node:crypto';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { derivedSecret } from '../../../kernel/resources/crypto/secrets.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';

/** Somebody who can be called; one of the two members is set. */
export interface Callable {
  readonly number?: string | undefined;
  readonly sipUri?: string | undefined;
}

/** An entry as the API shows it: the list does not store numbers. */
export interface DoNotCallEntry {
  /** The last two characters. */
  readonly ending: string;
  /** Who put it there: the person in a call, or the operator. */
  readonly source: string;
  readonly callId: string | null;
  readonly createdAt: string;
}

/** The people who asked not to be called. */
export interface DoNotCallList {
  /**
   * Adds an entry; a second one for the same number changes nothing. @param callId the call in which it was
   * asked for
   */
  add(whom: Callable, callId?: string): Promise<DoNotCallEntry>;
  /**
   * The entry of a number or address; undefined where it may be called. @param within the transaction of a
   * caller that has one, as a second connection might never become free
   */
  find(whom: Callable, within?: Queries): Promise<DoNotCallEntry | undefined>;
  /** Removes an entry; false where there is none. */
  remove(whom: Callable): Promise<boolean>;
  /** Newest first. */
  list(limit: number): Promise<readonly DoNotCallEntry[]>;
  /** @throws ServiceError 403 `do_not_call` where the number or address is on the list */
  requireCallable(whom: Callable): Promise<void>;
}

interface Row {
  readonly ending: string;
  readonly source: string;
  readonly call_id: string | null;
  readonly created_at: Date;
}

/** Opens the list. A number counts as the same in every spelling, and at every host of a SIP address. */
export function openDoNotCallList({ database, keys }: Pick<Resources, 'database' | 'keys'>): DoNotCallList {
  const key = derivedSecret(keys, 'voice do-not-call list');
  const digestOf = (whom: Callable): string =>
    createHmac('sha256', key).update(nameOf(whom)).digest('base64url');
  const find = async (whom: Callable, within: Queries = database): Promise<DoNotCallEntry | undefined> => {
    const row = await within.maybe(
      'select ending, source, call_id, created_at from private.voice_do_not_call where destination = $1',
      [digestOf(whom)],
    );
    return row === undefined ? undefined : shown(row);
  };
  return {
    find,
    async add(whom, callId) {
      const row = await database.one(
        `insert into private.voice_do_not_call (destination, ending, source, call_id) values ($1, $2, $3, $4)
         on conflict (destination) do update set ending = excluded.ending
         returning ending, source, call_id, created_at`,
        [digestOf(whom), nameOf(whom).slice(-2), callId === undefined ? 'operator' : 'call', callId ?? null],
      );
      return shown(row);
    },
    async remove(whom) {
      const gone = await database.run('delete from private.voice_do_not_call where destination = $1', [
        digestOf(whom),
      ]);
      return gone > 0;
    },
    async list(limit) {
      const rows = await database.many(
        `select ending, source, call_id, created_at from private.voice_do_not_call
          order by created_at desc limit $1`,
        [limit],
      );
      return rows.map(shown);
    },
    async requireCallable(whom) {
      if ((await find(whom)) === undefined) return;
      const name = whom.number ?? whom.sipUri ?? '';
      throw new ServiceError(
        403,
        'do_not_call',
        `${name} asked not to be called. DELETE /do-not-call/${encodeURIComponent(name)} takes it off the list when it agrees again.`,
      );
    },
  };
}

const shown = ({ ending, source, call_id, created_at }: Row): DoNotCallEntry => ({
  ending,
  source,
  callId: call_id,
  createdAt: created_at.toISOString(),
});

/**
 * The digits of a number, wherever it is given; otherwise the address without the parts that only say how it
 * is reached.
 */
function nameOf({ number, sipUri }: Callable): string {
  const [, user = '', host = ''] = /^sips?:(?:([^@]*)@)?([^;?]*)/i.exec(sipUri ?? '') ?? [];
  const plain = (number ?? user).replace(/[\s().-]/g, '');
  const digits = /^(?:\+|00)?(\d{6,15})$/.exec(plain)?.[1];
  return digits ?? `${user.toLowerCase()}@${host.toLowerCase().replace(/:\d+$/, '')}`;
}
