import { type Language, languageOf } from '../../contract/languages.ts';
import type { Queries } from '../database/database.ts';

/** What decides the language of a message to somebody. */
export interface Reader {
  readonly raw_user_meta_data: Readonly<Record<string, unknown>>;
  /** The browser's locale at sign-up. */
  readonly locale: string | null;
}

/** `user_metadata.locale`, else the browser's language at sign-up, else English. */
export function languageFor(reader: Reader | undefined): Language {
  return languageOf(reader?.raw_user_meta_data.locale, reader?.locale);
}

/** The language of messages to an account. */
export async function languageOfUser(queries: Queries, userId: string): Promise<Language> {
  const user = await queries.maybe('select raw_user_meta_data, locale from auth.users where id = $1', [
    userId,
  ]);
  return languageFor(user as Reader | undefined);
}

/**
 * The language of mails to an address: that of its account. Only somebody who reads the address's mails
 * learns which language it is.
 *
 * @param otherwise for an address without an account
 */
export async function languageOfAddress(
  queries: Queries,
  address: string,
  otherwise: Language = 'en',
): Promise<Language> {
  const user = await queries.maybe(
    `select raw_user_meta_data, locale from auth.users
      where email = lower($1) and deleted_at is null order by is_sso_user, created_at limit 1`,
    [address],
  );
  return user === undefined ? otherwise : languageFor(user as Reader);
}

/**
 * The language of text messages to a number, given as digits with its country: that of the account that
 * verified the number.
 */
export async function languageOfNumber(queries: Queries, digits: string): Promise<Language> {
  const user = await queries.maybe(
    `select raw_user_meta_data, locale from auth.users
      where phone = $1 and phone_confirmed_at is not null and deleted_at is null`,
    [digits],
  );
  return languageFor(user as Reader | undefined);
}
