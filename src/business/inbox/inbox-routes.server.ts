import { createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { foldedEmail } from '../../kernel/contract/email-address.ts';
import { PAGES } from '../../kernel/contract/routes.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { declareFunction } from '../../kernel/functions/function-declaration.server.ts';
import { requireUser } from '../../kernel/http/authenticate.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import { derivedSecret, equalSecrets } from '../../kernel/resources/crypto/secrets.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';
import { isMailAddress } from '../../kernel/resources/mailer/mail-check.ts';
import { languageOfAddress, languageOfUser } from '../../kernel/resources/mailer/mail-language.ts';
import { openTemplates } from '../../kernel/resources/mailer/mail-templates.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { createScan } from '../../platform/storage/content/content-scan.server.ts';
import { fetchMails } from './imap-fetch.server.ts';
import {
  INBOX_FUNCTIONS,
  type InboxOff,
  type InboxView,
  MOST_SENDERS,
  PROOF_DAYS,
  PROOF_FRAGMENT,
} from './inbox.contract.ts';
import type { InboxContext } from './inbox-context.server.ts';
import { viewInbox } from './inbox-view.server.ts';
import { mountInboxWebhook } from './inbox-webhook.server.ts';

const READS = { count: 120, seconds: 60, burst: 60 };
const CHANGES = { count: 30, seconds: 300 };
/** Each is a mail to somebody who may not have asked for it. */
const MAILS = { count: 10, seconds: 3600, burst: 5 };
const MAILS_TO_ONE = { name: 'proofs of an address', count: 5, seconds: 86_400 };
const FETCH_SECONDS = 30;
const FORGET_SECONDS = 3600;
/** Days for which a mail that comes again is known. */
const KEPT_DAYS = 180;
const DAY_MS = 86_400_000;

const TEMPLATES = openTemplates('business/inbox/mails', {
  'sender-proof': ['account', 'nobody', 'href', 'days'],
} as const);
const address = z
  .string()
  .transform(foldedEmail)
  .refine(isMailAddress, { error: 'must be an email address' });

/**
 * Mounts documents by mail: the customer's address and senders, the webhook, and the round that reads the mailbox.
 *
 * @param analyse starts the analysis of a document that has none yet
 */
export function mountInbox(http: HttpContext, resources: Resources, analyse: InboxContext['analyse']): void {
  const { database, jobs, settings } = resources;
  const context: InboxContext = { resources, analyse, scan: createScan(settings, resources.log) };
  mountInboxWebhook(http, context);
  declareInbox(http, resources);
  jobs.every('old mails with documents', FORGET_SECONDS, async () => {
    await database.run(
      'delete from private.inbox_mails where received_at < now() - make_interval(days => $1)',
      [KEPT_DAYS],
    );
  });
  if (settings.MAIL_IN_IMAP_URL === '') return;
  jobs.everyByOne('documents in the mailbox', FETCH_SECONDS, async () => {
    await fetchMails(context);
  });
}

function declareInbox(http: HttpContext, resources: Resources): void {
  const { database } = resources;
  /** A function that changes something and replies with the view after it. */
  const change = <Body extends z.ZodType>(path: string, { body, limit, work }: ChangeOf<Body>): void =>
    declareFunction(http, {
      name: nameOf(path),
      callers: 'users',
      body,
      limit,
      handle: async ({ caller, body: given }): Promise<InboxView> => {
        requireInbox(resources);
        const userId = requireUser(caller);
        return database.transaction(async (queries) => {
          await work(queries, userId, given);
          return viewInbox(resources, queries, userId);
        });
      },
    });
  declareFunction(http, {
    name: nameOf(INBOX_FUNCTIONS.read),
    method: 'GET',
    callers: 'users',
    body: z.object({}),
    limit: READS,
    handle: async ({ caller }): Promise<InboxView | InboxOff> =>
      takesMails(resources) ? viewInbox(resources, database, requireUser(caller)) : { off: true },
  });
  change(INBOX_FUNCTIONS.address, {
    body: z.object({}),
    limit: CHANGES,
    work: async (queries, userId) => {
      await queries.run(
        `insert into private.inbox_addresses (user_id, token) values ($1, $2)
         on conflict (user_id) do update set token = excluded.token, created_at = now()`,
        [userId, newToken()],
      );
    },
  });
  change(INBOX_FUNCTIONS.ask, {
    body: z.object({ address }),
    limit: MAILS,
    work: async (queries, userId, given) => {
      await http.rateLimiter.take(MAILS_TO_ONE, given.address, { within: queries });
      await askSender(resources, queries, { userId, address: given.address });
    },
  });
  change(INBOX_FUNCTIONS.prove, {
    body: z.object({ token: z.string().max(600) }),
    limit: CHANGES,
    work: (queries, userId, { token }) => proveSender(resources, queries, userId, token),
  });
  change(INBOX_FUNCTIONS.remove, {
    body: z.object({ address }),
    limit: CHANGES,
    work: async (queries, userId, given) => {
      await queries.run('delete from private.inbox_senders where user_id = $1 and address = $2', [
        userId,
        given.address,
      ]);
    },
  });
}

interface ChangeOf<Body extends z.ZodType> {
  readonly body: Body;
  readonly limit: { readonly count: number; readonly seconds: number; readonly burst?: number };
  work(queries: Queries, userId: string, body: z.output<Body>): Promise<void>;
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Whether the installation takes documents by mail. */
const takesMails = ({ settings }: Resources): boolean => settings.MAIL_IN_ADDRESS !== '';

/** @throws ServiceError 404 `inbox_off` */
function requireInbox(resources: Resources): void {
  if (!takesMails(resources))
    throw new ServiceError(404, 'inbox_off', 'This installation takes no documents by mail.');
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567';

/** 100 random bits as letters that survive every mail program. */
function newToken(): string {
  return [...randomBytes(20)].map((byte) => LETTERS[byte % LETTERS.length]).join('');
}

/** Adds an address that still has to be proven, and mails it the link. */
async function askSender(
  resources: Resources,
  queries: Queries,
  { userId, address: sender }: { userId: string; address: string },
): Promise<void> {
  const { count, account } = await queries.one(
    `select (select count(*)::integer from private.inbox_senders s where s.user_id = $1 and s.address <> $2) as count /* not null */,
            (select u.email from auth.users u where u.id = $1 and u.email_proven_at is not null) as account`,
    [userId, sender],
  );
  if (count >= MOST_SENDERS)
    throw new ServiceError(
      409,
      'too_many_senders',
      `You can add ${MOST_SENDERS} addresses: remove one first.`,
    );
  await queries.run(
    `insert into private.inbox_senders (user_id, address) values ($1, $2)
     on conflict (user_id, address) do update set asked_at = now()`,
    [userId, sender],
  );
  const language = await languageOfAddress(queries, sender, await languageOfUser(queries, userId));
  const token = proofOf(resources, { userId, address: sender, until: Date.now() + PROOF_DAYS * DAY_MS });
  await resources.mailer.send(queries, {
    to: sender,
    // The customer has just asked for it, and gets at most five a day for one address.
    purpose: 'account',
    ...TEMPLATES.mail(resources, language, 'sender-proof', {
      account: account === null ? [] : [account],
      nobody: account === null ? [resources.settings.BRAND] : [],
      href: `${resources.siteUrl}${PAGES.dashboard.path}#${PROOF_FRAGMENT}${token}`,
      days: String(PROOF_DAYS),
    }),
  });
}

interface Proof {
  readonly userId: string;
  readonly address: string;
  /** Epoch milliseconds. */
  readonly until: number;
}

function proofOf({ keys }: Pick<Resources, 'keys'>, { userId, address: sender, until }: Proof): string {
  const said = Buffer.from(JSON.stringify([userId, sender, until])).toString('base64url');
  const signature = createHmac('sha256', derivedSecret(keys, 'inbox sender'))
    .update(said)
    .digest('base64url');
  return `${said}.${signature}`;
}

/** Only the account that asked can use the link, so a forwarded mail opens nothing for another. */
async function proveSender(
  { keys }: Resources,
  queries: Queries,
  userId: string,
  token: string,
): Promise<void> {
  const proof = readProof({ keys }, token);
  const proven =
    proof?.userId !== userId || proof.until < Date.now()
      ? 0
      : await queries.run(
          `update private.inbox_senders set proven_at = coalesce(proven_at, now()) where user_id = $1 and address = $2`,
          [userId, proof.address],
        );
  if (proven === 0)
    throw new ServiceError(
      404,
      'bad_proof',
      'This link has expired or belongs to another account. Ask for a new one.',
    );
}

function readProof(parts: Pick<Resources, 'keys'>, token: string): Proof | undefined {
  const [said = ''] = token.split('.');
  try {
    const [userId, sender, until] = z
      .tuple([z.string(), z.string(), z.number()])
      .parse(JSON.parse(Buffer.from(said, 'base64url').toString('utf8')));
    const proof = { userId, address: sender, until };
    return equalSecrets(proofOf(parts, proof), token) ? proof : undefined;
  } catch {
    return undefined;
  }
}
