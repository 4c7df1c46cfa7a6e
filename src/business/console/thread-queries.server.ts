import { z } from 'zod';
import { UPLOADS_BUCKET } from '../../kernel/contract/limits.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';
import { signedObjectUrl } from '../../platform/storage/objects/object-signing.server.ts';
import {
  type ConsoleThread,
  type ConsoleThreadPage,
  MESSAGE_LIMITS,
  MOST_OF_A_THREAD,
  THREAD_LISTS,
  THREAD_PAGE,
  type Thread,
  type ThreadEntry,
  threadOf,
} from '../messages/messages.contract.ts';
import {
  containing,
  declareForOperators,
  type OperatorScope,
  pageOf,
  SEARCH,
  sent,
} from './operator-gate.server.ts';

const PER_PAGE = 50;
/** An attached file is opened at once or asked for again: it can be withdrawn. */
const FILE_SECONDS = 60;

/** The console's functions about threads. The procedures of `migrations/baseline/16-messages.sql` audit what they do. */
export function serveThreads(scope: OperatorScope): void {
  serveThreadList(scope);
  declareForOperators(scope, {
    name: 'thread',
    method: 'GET',
    input: z.object({
      user_id: z.uuid(),
      most: z.coerce.number().int().min(1).max(MOST_OF_A_THREAD).default(THREAD_PAGE),
    }),
    async answer(queries, { user_id: userId, most }): Promise<ConsoleThread> {
      const customer = await queries.maybe(
        'select user_id /* not null */, email, full_name from operator.customer_names where user_id = $1',
        [userId],
      );
      if (customer === undefined) throw noSuchCustomer();
      return { customer, ...(await readThread(queries, userId, most)) };
    },
  });
  declareForOperators(scope, {
    name: 'send-message',
    method: 'POST',
    input: z.object({ user_id: z.uuid(), text: z.string().trim().min(1).max(MESSAGE_LIMITS.text) }),
    async answer(queries, { user_id: userId, text }) {
      const { id } = await queries.one('select operator.send_message($1, $2) as id', [userId, text]);
      if (id === null) throw noSuchCustomer();
      return { id };
    },
  });
  declareForOperators(scope, {
    name: 'read-thread',
    method: 'POST',
    input: z.object({ user_id: z.uuid(), ids: z.array(z.uuid()).max(MOST_OF_A_THREAD) }),
    answer: (queries, { user_id: userId, ids }) =>
      queries.one('select operator.read_messages($1, $2) as marked', [userId, ids]),
  });
  declareForOperators(scope, {
    name: 'message-file',
    method: 'POST',
    input: z.object({ id: z.uuid() }),
    async answer(queries, { id }) {
      const { path } = await queries.one('select operator.open_message_file($1) as path', [id]);
      const { resources } = scope;
      const url =
        path === null ? undefined : await signedObjectUrl(resources, UPLOADS_BUCKET, path, FILE_SECONDS);
      if (url === undefined)
        throw new ServiceError(404, 'not_found', 'The customer has withdrawn this file, or deleted it.');
      return { url: url.slice(resources.siteUrl.length) };
    },
  });
}

function serveThreadList(scope: OperatorScope): void {
  declareForOperators(scope, {
    name: 'threads',
    method: 'GET',
    heavy: true,
    input: z.object({
      list: z.enum(THREAD_LISTS).default('all'),
      q: SEARCH,
      after: z.uuid().or(z.literal('')).default(''),
    }),
    async answer(queries, { list, q, after }): Promise<ConsoleThreadPage> {
      const rows = await queries.many(
        `select user_id /* not null */, email, full_name, unread /* not null */, last_at /* not null */,
                answered /* not null */, last_words /* not null */
           from operator.threads t
          where ($1 = 'all' or not answered)
            and ($2 = '' or email ilike $3 or full_name ilike $3 or user_id::text = $2
                 or exists (select from operator.messages m where m.user_id = t.user_id and m.body ilike $3))
            and ($4 = '' or (unread > 0, last_at, user_id)
                 < (select unread > 0, last_at, user_id from operator.threads where user_id::text = $4))
          order by unread > 0 desc, last_at desc, user_id desc limit $5`,
        [list, q, containing(q), after, PER_PAGE + 1],
      );
      return pageOf(rows, PER_PAGE, sent, (row) => row.user_id);
    },
  });
}

async function readThread(queries: Queries, userId: string, most: number): Promise<Thread> {
  const messages = await queries.many(
    `select id /* not null */, from_agency /* not null */, body /* not null */, sent_at /* not null */, read_at, author
       from operator.messages where user_id = $1 order by sent_at desc, id limit $2`,
    [userId, most + 1],
  );
  const files = await queries.many(
    `select id /* not null */, message_id /* not null */, file_id, file_name /* not null */
       from operator.message_files where user_id = $1 and message_id = any ($2) order by file_name, id`,
    [userId, messages.map(({ id }) => id)],
  );
  const enquiries = await queries.many(
    `select id /* not null */, from_agency /* not null */, about /* not null */, body /* not null */,
            sent_at /* not null */
       from operator.enquiries_of($1)`,
    [userId],
  );
  const entries = messages.map(
    ({ sent_at: sentAt, read_at: readAt, ...message }): ThreadEntry => ({
      ...message,
      sent_at: sentAt.toISOString(),
      read_at: readAt?.toISOString() ?? null,
      about: null,
      files: files
        .filter(({ message_id: of }) => of === message.id)
        .map(({ id, file_id: fileId, file_name: name }) => ({ id, file_id: fileId, file_name: name })),
    }),
  );
  return threadOf(
    entries,
    enquiries.map(({ sent_at: at, ...entry }) => ({ ...entry, sent_at: at.toISOString() })),
    most,
  );
}

const noSuchCustomer = (): ServiceError =>
  new ServiceError(404, 'not_found', 'There is no account with this number.');
