import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { SupabaseClient } from '@supabase/supabase-js';
import { openPayments, type Payments } from '../../src/business/billing/payments.server.ts';
import { providerSecrets } from '../../src/business/billing/stripe-emulator.server.ts';
import { newClient, PASSWORD } from '../support/customers/auth-client.ts';
import { newTrustedOperator, type TestAccount } from '../support/customers/operator-client.ts';
import { callProvider } from '../support/servers/payment-provider.ts';
import type { TestApp } from '../support/test-app.ts';
import type { Invitation, Team } from './team-steps.ts';

const NAMES = ['Ann', 'Ben', 'Cleo'] as const;
/** Milliseconds between two looks at work that is under way. */
const LOOK_MS = 5;

/** A customer, and what the model expects of them. */
export interface Person {
  readonly name: string;
  readonly id: string;
  email: string;
  /** Addresses that the account had and proved. */
  readonly formerAddresses: string[];
  password: string;
  client: SupabaseClient;
  /** Ids of the files that the person uploaded and has not deleted. */
  readonly files: Set<string>;
  /** The secret of the authenticator, and the unused recovery codes; empty without a second factor. */
  secret: string;
  codes: string[];
  /** Calls to come, each with the address of its own page. */
  readonly bookings: { readonly path: string; at: string; changes: number }[];
  /** How many enquiries the person sent with the form, which asks for an address. */
  enquiries: number;
}

/** A link to a report that was made in the month. */
export interface Link {
  readonly token: string;
  readonly id: string;
  readonly file: string;
  readonly owner: Person;
}

/** One product during one month: three customers and an operator, who are new. */
export interface Month {
  readonly app: TestApp;
  readonly payments: Payments;
  readonly operator: TestAccount;
  readonly people: Person[];
  /** Links that show a report, and secrets of links that must not show one any more. */
  links: Link[];
  readonly deadLinks: string[];
  /** Names that the agency had before. */
  readonly formerBrands: Set<string>;
  teams: Team[];
  invitations: Invitation[];
  /** Ids of mails that somebody has read. */
  readonly readMails: Set<string>;
}

/** Opens a month in a running product. What an earlier month left does not concern it. */
export async function openMonth(app: TestApp): Promise<Month> {
  await app.resources.database.run("delete from private.provider_state where key = 'clock'");
  const people = await Promise.all(NAMES.map((name) => newPerson(app, name)));
  const operator = await newTrustedOperator(app);
  return {
    app,
    payments: paymentsOf(app),
    operator,
    people,
    links: [],
    deadLinks: [],
    formerBrands: new Set(),
    teams: [],
    invitations: [],
    readMails: new Set(),
  };
}

/** Ends it: a later month, whose clock begins now, finds nothing of it that could become due. */
export async function closeMonth({ app, people }: Month): Promise<void> {
  const { database } = app.resources;
  await database.run('update private.provider_objects set due_at = null where due_at is not null');
  await database.run('delete from auth.users where id = any ($1)', [people.map(({ id }) => id)]);
  await database.run('update private.customers_to_end set done_at = now() where done_at is null');
  await database.run('delete from northline_app.bookings');
  await database.run('delete from public.enquiries');
}

/** Signs up a customer. */
export async function newPerson(app: TestApp, name: string): Promise<Person> {
  const client = newClient(app);
  const email = newAddress(name);
  const { data, error } = await client.auth.signUp({
    ...{ email, password: PASSWORD },
    options: { data: { full_name: `${name} Whitcombe` } },
  });
  if (error !== null || data.user === null) throw error ?? new Error('no user');
  return {
    ...{ name, id: data.user.id, email, formerAddresses: [], password: PASSWORD, client },
    ...{ files: new Set(), secret: '', codes: [], bookings: [], enquiries: 0 },
  };
}

export const newAddress = (name: string): string =>
  `${name.toLowerCase()}-${randomUUID().slice(0, 13)}@customers.example`;

/** The product's own payments, with the provider's clock. */
export function paymentsOf(app: TestApp): Payments {
  const { apiKey, webhook } = providerSecrets(app.resources.keys);
  return openPayments(app.resources, {
    apiKey,
    webhookSecret: webhook,
    address: async () => `${app.url}/test-provider`,
    now: async () => Number((await callProvider(app, 'GET', '/v1/test_helpers/clock')).now),
  });
}

/** A refusal of a function, with its code. */
export class Refused extends Error {
  readonly code: string;
  constructor(name: string, status: number, { code = '', error = '' }: { code?: string; error?: string }) {
    super(`${name} was answered with ${status} ${code}: ${error}`);
    this.code = code;
  }
}

/**
 * Calls a function as the site does; by GET without a body. Undefined for a refusal whose code is allowed.
 *
 * @throws Refused for any other
 */
export async function say<Reply>(
  { client }: Pick<Person, 'client'>,
  name: string,
  body?: object,
  allowed: readonly string[] = [],
): Promise<Reply | undefined> {
  const { data, error } = await client.functions.invoke(name, body ? { body } : { method: 'GET' });
  if (error === null) return data as Reply;
  if (error.context?.json === undefined) throw error;
  const refused = new Refused(name, error.context.status, await error.context.json());
  if (allowed.includes(refused.code)) return undefined;
  throw refused;
}

/** The same, where no refusal is expected. */
export async function ask<Reply>(who: Pick<Person, 'client'>, name: string, body?: object): Promise<Reply> {
  return (await say<Reply>(who, name, body)) as Reply;
}

/** Waits until `look` finds something. */
export async function waitFor<Found>(look: () => Promise<Found | undefined>): Promise<Found> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await setTimeout(LOOK_MS);
  }
}

/** Waits until the provider has delivered its events and each was worked. */
export async function quiet({ app }: Month): Promise<void> {
  await waitFor(async () => {
    const { open } = await app.resources.database.one(
      `select (select count(*) from private.provider_events where delivered_at is null)::int
              + (select count(*) from private.payment_events where handled_at is null)::int as open /* not null */`,
    );
    return open === 0 ? true : undefined;
  });
}

/** The text of the newest mail to an address whose subject matches and that was not read before, once it is there. */
export function mailTo({ app, readMails }: Month, address: string, subject: RegExp): Promise<string> {
  return waitFor(async () => {
    const mails = await app.resources.database.many(
      `select id, subject, body_text from private.mails where lower(recipient) = lower($1)
        order by created_at desc limit 20`,
      [address],
    );
    const mail = mails.find((one) => subject.test(one.subject) && !readMails.has(one.id));
    if (mail !== undefined) readMails.add(mail.id);
    return mail?.body_text;
  });
}

/** The element that a number chooses; undefined of an empty list. */
export const chosen = <T>(from: readonly T[], pick: number): T | undefined => from[pick % from.length];
