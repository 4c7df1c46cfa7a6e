import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { claims } from '../../../tests/support/claims.ts';
import {
  createCustomer,
  type UploadingCustomer,
} from '../../../tests/support/customers/uploading-customer.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { ask } from '../../../tests/support/test-database.ts';
import { uncheckedSql } from '../../kernel/resources/database/fixed-sql.ts';
import { createLog } from '../../kernel/resources/log/log.ts';
import { settleOpenCredits } from './credit-reservation.server.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app?.close());

/** Everything that must be true of one customer when no work is under way. */
async function books(who: UploadingCustomer) {
  return app.resources.database.one(
    `select c.credits,
            (select coalesce(sum(amount), 0)::int from public.credit_transactions where user_id = $1 and state <> 'returned') as ledger,
            (select count(*)::int from public.user_files where user_id = $1) as files,
            (select count(*)::int from storage.objects where owner = $1) as objects,
            (select count(*)::int from public.credit_transactions where user_id = $1 and kind = 'spend' and state <> 'returned') as paid
       from public.customers c where c.user_id = $1`,
    [who.id],
  );
}

const sweep = () => app.resources.database.one('select * from private.sweep_credits()');
const expire = (who: UploadingCustomer) =>
  app.resources.database.run(
    "update public.credit_transactions set expires_at = now() - interval '1 second' where user_id = $1 and expires_at is not null",
    [who.id],
  );

function record(who: UploadingCustomer, name: string, extra: object = {}) {
  return who.client.from('user_files').insert({
    user_id: who.id,
    file_path: who.path(name),
    file_name: name,
    file_type: 'document',
    file_size: 1,
    mime_type: 'text/plain',
    ...extra,
  });
}

describe('parallel uploads', () => {
  test('twenty sequences with one credit store exactly one file', async () => {
    claims(
      'An upload takes one credit of your plan.',
      'An upload takes one credit, and analysing is free.',
      'Each upload takes one credit.',
      'One upload uses one document of your month.',
    );
    const who = await createCustomer(app, 1);
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) => who.upload(`${index}.txt`, `file ${index}`)),
    );
    expect(results.filter((result) => result === 'stored')).toHaveLength(1);
    expect(await books(who)).toEqual({ credits: 0, ledger: 0, files: 1, objects: 1, paid: 1 });
  });

  test('fifty uploads that skip the payment fight for one reserved credit: one wins', async () => {
    const who = await createCustomer(app, 1);
    expect(await who.takeCredit()).toBe(true);
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        who.bucket.upload(who.path(`${index}.txt`), 'x', { contentType: 'text/plain' }),
      ),
    );
    const stored = replies.filter(({ error }) => error === null);
    expect(stored).toHaveLength(1);
    for (const { error } of replies.filter((reply) => reply.error !== null)) {
      expect(error).toMatchObject({
        statusCode: '403',
        message: expect.stringContaining('Insufficient credits'),
      });
    }
  });

  test('fifty uploads to one path with fifty credits store one file and release the other credits', async () => {
    claims('Analysing again and retrying are free, and an upload that does not arrive costs nothing.');
    const who = await createCustomer(app, 50);
    const results = await Promise.all(Array.from({ length: 50 }, () => who.upload('same.txt', 'x')));
    expect(results.filter((result) => result === 'stored')).toHaveLength(1);
    expect(await books(who)).toEqual({ credits: 49, ledger: 49, files: 1, objects: 1, paid: 1 });
  });
});

describe('skipping a step gains nothing', () => {
  test('no upload without a credit, no record without an upload, no second record', async () => {
    const who = await createCustomer(app, 1);
    const unpaid = await who.bucket.upload(who.path('a.txt'), 'x', { contentType: 'text/plain' });
    expect(unpaid.error).toMatchObject({ code: 'AccessDenied' });
    expect((await record(who, 'a.txt')).error).toMatchObject({ code: '42501' });
    expect(await who.upload('a.txt', 'hello')).toBe('stored');
    expect((await record(who, 'a.txt')).error).toMatchObject({ code: '23505' });
    expect(await who.upload('b.txt', 'x')).toBe('no credit');
    expect(await books(who)).toEqual({ credits: 0, ledger: 0, files: 1, objects: 1, paid: 1 });
  });

  test('a record takes size, type and state from the object, not from the client', async () => {
    const who = await createCustomer(app, 1);
    await who.takeCredit();
    await who.bucket.upload(who.path('a.txt'), 'hello', { contentType: 'text/plain' });
    const lies = {
      file_size: 999,
      mime_type: 'text/html',
      analyzed: true,
      analyzed_url: '/x',
      status: 'analyzed',
    };
    const { data } = await record(who, 'a.txt', lies).select().single();
    expect(data).toMatchObject({
      file_size: 5,
      mime_type: 'text/plain',
      analyzed: false,
      analyzed_url: null,
      status: 'uploaded',
    });
  });

  test('nobody records, spends or changes what belongs to another user', async () => {
    const [anna, boris] = await Promise.all([createCustomer(app, 2), createCustomer(app, 2)]);
    await anna.takeCredit();
    await anna.bucket.upload(anna.path('a.txt'), 'x', { contentType: 'text/plain' });
    const stolen = await boris.client.from('user_files').insert({
      user_id: boris.id,
      file_path: anna.path('a.txt'),
      file_name: 'a',
      file_size: 1,
      mime_type: 'x',
    });
    expect(stolen.error).not.toBeNull();
    const planted = await boris.client.from('user_files').insert({
      user_id: anna.id,
      file_path: anna.path('a.txt'),
      file_name: 'a',
      file_size: 1,
      mime_type: 'x',
    });
    expect(planted.error).toMatchObject({ code: '42501' });
    const spent = await boris.client.rpc('use_credits', {
      p_user_id: anna.id,
      p_amount: 1,
      p_description: 'x',
    });
    expect(spent.error).toMatchObject({ code: '42501' });
    const given = await boris.client.from('customers').update({ credits: 99 }).eq('user_id', boris.id);
    expect(given.error).toMatchObject({ code: '42501' });
    expect((await boris.client.from('customers').select('user_id')).data).toEqual([{ user_id: boris.id }]);
    expect(
      (await boris.client.from('credit_transactions').select('user_id').neq('user_id', boris.id)).data,
    ).toEqual([]);
    expect(await anna.upload('b.txt', 'x')).toBe('stored');
  });

  test.each([0, -1, null])('use_credits refuses the amount %j', async (amount) => {
    const who = await createCustomer(app, 5);
    const { error } = await who.client.rpc('use_credits', {
      p_user_id: who.id,
      p_amount: amount,
      p_description: 'x',
    });
    expect(error).not.toBeNull();
    expect(await who.credits()).toBe(5);
  });

  test('only `analyzed` and `updated_at` can be updated, and `analyzed` follows the report', async () => {
    const who = await createCustomer(app, 1);
    await who.upload('a.txt', 'x');
    const mine = () => who.client.from('user_files');
    for (const change of [
      { file_path: who.path('b') },
      { status: 'analyzed' },
      { user_id: randomUUID() },
      { file_size: 0 },
    ]) {
      expect((await mine().update(change).eq('user_id', who.id)).error).toMatchObject({ code: '42501' });
    }
    const claim = await mine()
      .update({ analyzed: true, updated_at: new Date().toISOString() })
      .eq('user_id', who.id)
      .select();
    expect(claim.error).toBeNull();
    expect(claim.data).toMatchObject([{ analyzed: false }]);
    await app.resources.database.run("update public.user_files set status = 'analyzed' where user_id = $1", [
      who.id,
    ]);
    expect((await mine().select('analyzed').eq('user_id', who.id).single()).data).toEqual({ analyzed: true });
  });
});

describe('a kill at any step', () => {
  test('after use_credits: the credit comes back when its lease ends', async () => {
    const who = await createCustomer(app, 1);
    await who.takeCredit();
    await sweep();
    expect(await who.credits()).toBe(0);
    await expire(who);
    await sweep();
    expect(await books(who)).toMatchObject({ credits: 1, ledger: 1, objects: 0 });
    const late = await who.bucket.upload(who.path('late.txt'), 'x', { contentType: 'text/plain' });
    expect(late.error).toMatchObject({ code: 'AccessDenied' });
  });

  test('the log says what the sweep settled, and nothing when there was nothing to settle', async () => {
    const who = await createCustomer(app, 1);
    await who.takeCredit();
    const lines: string[] = [];
    const log = createLog('info', { write: (line: string) => void lines.push(line) });
    // In one transaction, so that the product's own sweep does not run in between.
    await app.resources.database.transaction(async (queries) => {
      // First settles what other tests left behind.
      await settleOpenCredits(queries, log);
      lines.length = 0;
      await settleOpenCredits(queries, log);
      expect(lines).toEqual([]);
      await queries.run(
        "update public.credit_transactions set expires_at = now() - interval '1 second' where user_id = $1 and expires_at is not null",
        [who.id],
      );
      await settleOpenCredits(queries, log);
    });
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      msg: 'open credits were settled',
      returned: 1,
      adopted: 0,
    });
  });

  test('a refusal stays the same when its credit cannot be released at once, and the credit is not lost', async () => {
    const who = await createCustomer(app, 1);
    await who.takeCredit();
    // An upload into another user's folder.
    const refused = () => who.bucket.upload(`${randomUUID()}/a.txt`, 'x', { contentType: 'text/plain' });
    await ask(
      app.databaseUrl,
      `create function public.broken() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$;
       create trigger broken before update on public.credit_transactions for each row
         when (new.state = 'returned') execute function public.broken()`,
    );
    const { error } = await refused();
    await ask(app.databaseUrl, 'drop function public.broken cascade');
    expect(error).toMatchObject({ code: 'AccessDenied' });
    expect(await who.credits()).toBe(0);
    await refused();
    expect(await who.credits()).toBe(1);
  });

  test('while bytes flow: the lease of the upload ends and the credit comes back once', async () => {
    const who = await createCustomer(app, 1);
    await who.takeCredit();
    await app.resources.database.run(
      "select private.begin_upload(gen_random_uuid(), 'user-uploads', $2, $1, 10, 100, interval '-1 second')",
      [who.id, who.path('a.txt')],
    );
    expect(await who.spendings()).toEqual(['claimed']);
    await app.resources.database.run('delete from private.uploads where expires_at <= now()');
    expect(await who.spendings()).toEqual(['returned']);
    await expire(who);
    await sweep();
    expect(await books(who)).toEqual({ credits: 1, ledger: 1, files: 0, objects: 0, paid: 0 });
  });

  test('after the upload: the stored object gets its record, once, whichever process comes first', async () => {
    const who = await createCustomer(app, 2);
    for (const name of ['1700000000000_kept letter.txt', 'late.txt']) {
      await who.takeCredit();
      await who.bucket.upload(who.path(name), 'hello', { contentType: 'text/plain' });
    }
    await sweep();
    expect(await books(who)).toMatchObject({ files: 0 });
    await expire(who);
    await Promise.all([sweep(), sweep()]);
    expect(await books(who)).toEqual({ credits: 0, ledger: 0, files: 2, objects: 2, paid: 2 });
    const { data } = await who.client
      .from('user_files')
      .select('file_name, file_size, mime_type, status')
      .order('file_name');
    expect(data?.[0]).toEqual({
      file_name: 'kept letter.txt',
      file_size: 5,
      mime_type: 'text/plain',
      status: 'uploaded',
    });
    expect((await record(who, 'late.txt')).error).toMatchObject({ code: '23505' });
  });

  test('an upload that is removed before it was recorded gives its credit back', async () => {
    const who = await createCustomer(app, 1);
    await who.takeCredit();
    await who.bucket.upload(who.path('a.txt'), 'x', { contentType: 'text/plain' });
    await who.bucket.remove([who.path('a.txt')]);
    expect(await books(who)).toEqual({ credits: 1, ledger: 1, files: 0, objects: 0, paid: 0 });
  });

  test('a record whose object went can be filled again without breaking the sweep', async () => {
    const who = await createCustomer(app, 2);
    await who.upload('a.txt', 'one');
    await who.bucket.remove([who.path('a.txt')]);
    await who.takeCredit();
    await who.bucket.upload(who.path('a.txt'), 'two', { contentType: 'text/plain' });
    await expire(who);
    await sweep();
    expect(await who.spendings()).toEqual(['settled', 'settled']);
    expect(await books(who)).toMatchObject({ files: 1, objects: 1, credits: 0 });
  });
});

describe('deletion', () => {
  test('of a recorded file never refunds, in either order', async () => {
    const who = await createCustomer(app, 2);
    await who.upload('a.txt', 'x');
    await who.upload('b.txt', 'x');
    await who.bucket.remove([who.path('a.txt')]);
    await who.client.from('user_files').delete().eq('file_path', who.path('a.txt')).eq('user_id', who.id);
    await who.client.from('user_files').delete().eq('file_path', who.path('b.txt')).eq('user_id', who.id);
    expect(await books(who)).toEqual({ credits: 0, ledger: 0, files: 0, objects: 0, paid: 2 });
  });
});

test('an object without bytes cannot be written past the service', async () => {
  const who = await createCustomer(app, 1);
  const caller = {
    role: 'authenticated',
    userId: who.id,
    claims: { sub: who.id, role: 'authenticated' },
  } as const;
  const insert = (columns: string, values: string) =>
    app.resources.database.asCaller(caller, (queries) =>
      queries.run(
        uncheckedSql(
          `insert into storage.objects (bucket_id, name, owner_id ${columns}) values ('user-uploads', $1, $2 ${values})`,
          'composed',
        ),
        [who.path('ghost.txt'), who.id],
      ),
    );
  await expect(insert('', '')).rejects.toMatchObject({ code: '42501' });
  await expect(insert(', version', ", 'x'")).rejects.toMatchObject({ code: '42501' });
  await expect(
    app.resources.database.asCaller(caller, (queries) =>
      queries.run('select private.return_reserved_credit($1)', [who.id]),
    ),
  ).rejects.toMatchObject({ code: '42501' });
});
