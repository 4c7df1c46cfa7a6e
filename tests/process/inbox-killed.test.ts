import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ownerConfig } from '../../bench/support/owner-connection.ts';
import { mailInSecret, signatureOf } from '../../src/business/inbox/inbox-context.server.ts';
import { AUTH_HOST, writeMail } from '../support/customers/mailed-documents.ts';
import { startImapServer } from '../support/servers/imap-server.ts';
import type { Product } from '../support/servers/product-process.ts';
import { dataFolder, keysOf, startProduct } from '../support/servers/product-start.ts';

const TOKEN = 'abcdefghij234567abcd';
const SENDER = 'ada@customers.example';
const CREDITS = 40;
const PATIENCE = Number(process.env.TEST_PATIENCE ?? 1);
/** A mailbox is read every half minute. */
const WAIT = { timeout: 90_000 * PATIENCE, interval: 100 };

/** Where the database stops, so that the process can be killed at that point: before the n-th such change since then. */
interface Stop {
  readonly table: string;
  readonly change: 'insert' | 'update';
  readonly nth: number;
  /** Which rows count; all without it. */
  readonly when?: string;
}

/** The answer to a mail, not the news that an analysis has ended. */
const ANSWER = "subject like 'Your documents have arrived: %'";

const STOPS: readonly (readonly [string, Stop])[] = [
  ['before the mail is noted', { table: 'private.inbox_mails', change: 'insert', nth: 1 }],
  ['before the first document has its record', { table: 'public.user_files', change: 'insert', nth: 1 }],
  [
    'when the first document is stored and the second is not noted',
    { table: 'private.inbox_documents', change: 'insert', nth: 2 },
  ],
  ['before the second analysis begins', { table: 'private.analyses', change: 'insert', nth: 2 }],
  ['before the mail counts as done', { table: 'private.inbox_mails', change: 'update', nth: 1 }],
  [
    'before the answer is queued',
    { table: 'private.mails', change: 'insert', nth: 1, when: `new.${ANSWER}` },
  ],
];

/** An installation with a customer who takes documents by mail; it can be killed and started again. */
class Installation {
  readonly #data = dataFolder('inbox');
  readonly #settings: Record<string, string>;
  #product: Product | undefined;
  #url = '';
  #client: pg.Client | undefined;
  #stops = 0;

  constructor(settings: Record<string, string>) {
    this.#settings = {
      MAIL_IN_ADDRESS: 'documents@agency.example',
      MAIL_IN_AUTH_HOST: AUTH_HOST,
      RATE_LIMITS: 'off',
      ...settings,
    };
    onTestFinished(() => this.#client?.end());
  }

  async start(): Promise<void> {
    this.#product = startProduct(this.#data, this.#settings, [process.execPath, 'src/cli/start.ts']);
    this.#url = await this.#product.url;
    this.#client = new pg.Client({ ...(await ownerConfig(this.#data)), user: 'postgres' });
    this.#client.on('error', () => {});
    await this.#client.connect();
  }

  async kill(): Promise<void> {
    // The lease of a killed process ends by itself after two minutes; the test does not wait for that.
    await this.rows('update private.inbox_mailbox set leased_until = null');
    this.#product?.signal('SIGKILL', 'group');
    await this.#product?.ended;
    // The database goes on without the process. It would sleep on; in earnest, a statement ends and its transaction with it.
    await this.rows("select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'PgSleep'");
    await this.#client?.end();
  }

  async rows(sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    const result = await this.#client?.query<Record<string, unknown>>(sql, values);
    return result?.rows ?? [];
  }

  /** A customer with a proven address and credits. */
  async addCustomer(): Promise<void> {
    await this.rows(
      `with ada as (insert into auth.users (id, email, email_confirmed_at, email_proven_at)
                    values ($1, $2, now(), now()) returning id)
       insert into private.inbox_addresses (user_id, token) select id, $3 from ada`,
      [randomUUID(), SENDER, TOKEN],
    );
    await this.rows('insert into public.customers (user_id, credits) select id, 0 from auth.users');
    await this.rows("select private.correct_credits(id, $1, 'for a test') from public.customers", [CREDITS]);
  }

  /** The database sleeps at this point from now on, once. */
  async stopAt({ table, change, nth, when = 'true' }: Stop): Promise<void> {
    this.#stops += 1;
    const name = `test_stop_${this.#stops}`;
    // A sequence is counted past the end of a transaction, and never falls back to a number that it has given.
    await this.rows(`
      create sequence private.${name};
      create function private.${name}() returns trigger language plpgsql security definer as $$
      begin
        if nextval('private.${name}') = ${nth} then perform pg_sleep(600); end if;
        return new;
      end $$;
      create trigger ${name} before ${change} on ${table} for each row when (${when}) execute function private.${name}()`);
  }

  /** Whether the database has come to the point. */
  async isStopped(): Promise<boolean> {
    const rows = await this.rows("select 1 from pg_stat_activity where wait_event = 'PgSleep'");
    return rows.length > 0;
  }

  /** Posts a mail as a provider does; undefined if the connection breaks. */
  post(mail: string): Promise<number | undefined> {
    const body = Buffer.from(mail);
    const id = randomUUID();
    const timestamp = String(Math.floor(Date.now() / 1000));
    const secret = mailInSecret({ keys: keysOf(this.#data), settings: { MAIL_IN_SECRET: '' } });
    return fetch(`${this.#url}/webhooks/mail-in`, {
      method: 'POST',
      headers: {
        'content-type': 'message/rfc822',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signatureOf(secret, body, { id, timestamp }),
      },
      body: new Uint8Array(body),
    }).then(
      ({ status }) => status,
      () => undefined,
    );
  }

  /** The names of all documents, in order. */
  async documents(): Promise<string[]> {
    const rows = await this.rows('select file_name from public.user_files order by file_name');
    return rows.map(({ file_name: name }) => String(name));
  }

  /** Each mail has brought two documents with a credit and an analysis each, and one answer, and nothing else is there. */
  async expectWhole(mails: number): Promise<void> {
    const names = Array.from({ length: mails }, (_, at) => [
      `${at + 10}-one.txt`,
      `${at + 10}-two.txt`,
    ]).flat();
    await expect.poll(() => this.documents(), WAIT).toEqual(names);
    const answers = () =>
      this.rows(`select subject from private.mails where recipient = $1 and ${ANSWER} order by subject`, [
        SENDER,
      ]);
    await expect
      .poll(async () => (await answers()).map(({ subject }) => String(subject).slice(-2)), WAIT)
      .toEqual(Array.from({ length: mails }, (_, at) => String(at + 10)));
    const analyses = () =>
      this.rows(
        `select f.file_name from public.user_files f join private.analyses a on a.file_id = f.id
          where f.status = 'analyzed' order by 1`,
      );
    await expect.poll(async () => (await analyses()).map(({ file_name: name }) => name), WAIT).toEqual(names);
    expect(await this.rows('select credits from public.customers')).toEqual([
      { credits: CREDITS - 2 * mails },
    ]);
    expect(
      await this.rows("select 1 from public.credit_transactions where state in ('reserved', 'claimed')"),
    ).toEqual([]);
    // An object without a record is the rest of a kill: the sweep removes it. None has two records.
    expect(
      await this.rows('select file_path from public.user_files group by file_path having count(*) > 1'),
    ).toEqual([]);
  }
}

/** The mail of that number, from 10 so that names are in order. */
const mail = (at: number): string =>
  writeMail({
    from: SENDER,
    to: `documents+${TOKEN}@agency.example`,
    id: `<${at}@a.example>`,
    subject: String(at + 10),
    parts: ['one', 'two'].map((name) => ({
      name: `${at + 10}-${name}.txt`,
      type: 'text/plain',
      content: `A letter of ${at} and ${name}`,
    })),
  });

describe('a process that is killed while documents come by mail loses nothing, doubles nothing and answers once', () => {
  test('from a mailbox', { timeout: 600_000 * PATIENCE }, async () => {
    const imap = await startImapServer();
    onTestFinished(() => imap.close());
    const installation = new Installation({ MAIL_IN_IMAP_URL: imap.url });
    await installation.start();
    await installation.addCustomer();
    let count = 0;
    for (const point of [/ SEARCH /, / FETCH \d+ \(.*RFC822\.SIZE/, /BODY\.PEEK\[\]/, / STORE /]) {
      imap.holdAt = point;
      imap.deliver(mail(count));
      count += 1;
      const before = imap.commands.length;
      await expect
        .poll(() => imap.commands.slice(before).some((line) => point.test(`x ${line}`)), WAIT)
        .toBe(true);
      await installation.kill();
      imap.holdAt = undefined;
      await installation.start();
    }
    for (const [, stop] of STOPS) {
      await expect.poll(async () => (await installation.documents()).length, WAIT).toBe(2 * count);
      await installation.stopAt(stop);
      imap.deliver(mail(count));
      count += 1;
      await expect.poll(() => installation.isStopped(), WAIT).toBe(true);
      await installation.kill();
      await installation.start();
    }
    await installation.expectWhole(count);
  });

  test('by the signed webhook, which is asked again', { timeout: 600_000 * PATIENCE }, async () => {
    const installation = new Installation({});
    await installation.start();
    await installation.addCustomer();
    let count = 0;
    for (const [, stop] of STOPS) {
      await installation.stopAt(stop);
      const sent = installation.post(mail(count));
      await expect.poll(() => installation.isStopped(), WAIT).toBe(true);
      await installation.kill();
      expect(await sent).toBeUndefined();
      await installation.start();
      // A provider sends again until it has a 200.
      await expect.poll(() => installation.post(mail(count)), WAIT).toBe(200);
      count += 1;
      // And once more, because its own process may have died before it noted that.
      expect(await installation.post(mail(count - 1))).toBe(200);
    }
    await installation.expectWhole(count);
  });
});
