import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { claims } from '../../../tests/support/claims.ts';
import {
  analyze,
  type Customer,
  clientOf,
  creditsOf,
  newCustomer,
  reportOf,
  settled,
  upload,
} from '../../../tests/support/customers/analysis-customer.ts';
import { overtake } from '../../../tests/support/held-lock.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { MESSAGES } from '../../kernel/contract/messages.ts';
import { analysisPath } from '../../kernel/contract/routes.ts';
import { uncheckedSql } from '../../kernel/resources/database/fixed-sql.ts';
import { failAnalysis } from './requests/analysis-outcome.server.ts';
import { FILE_MISSING } from './requests/analysis-request.contract.ts';
import { REQUEST_EVENT } from './requests/request-composition.server.ts';

describe('the built-in analyser', () => {
  let app: TestApp;
  let owner: Customer;
  beforeAll(async () => {
    app = await startTestApp();
    owner = await newCustomer(app, 'owner');
  });
  afterAll(() => app.close());

  test('a PDF, a Word file and a text get their reports, read by their owner only', async () => {
    const stranger = await newCustomer(app, 'stranger');
    for (const name of ['tenancy-agreement.pdf', 'supplier-terms.docx', 'letter-rent-review.txt']) {
      const fileId = await upload(owner, name);
      const { status, body } = await analyze(app, owner.token, fileId);
      expect(status).toBe(202);
      expect(body).toEqual({ analysis_id: expect.any(String), status: 'queued' });
      expect(await settled(app, fileId)).toEqual({
        status: 'analyzed',
        progress: null,
        status_reason: null,
        analyzed: true,
        analyzed_url: analysisPath(fileId),
      });
      const own = await owner.client
        .schema('northline_app')
        .from('analysis_reports')
        .select('report, blocks')
        .eq('file_id', fileId)
        .single();
      expect(own.data?.report).toMatchObject({ schema: 'report/1', engine: { name: 'local' } });
      expect(own.data?.blocks.length).toBeGreaterThan(3);
      for (const other of [stranger.client, clientOf(app)]) {
        const { data } = await other.schema('northline_app').from('analysis_reports').select('file_id');
        expect(data ?? []).toEqual([]);
      }
    }
  });

  test('a double click is one analysis, and nobody can start another user’s', async () => {
    const stranger = await newCustomer(app, 'stranger2');
    const fileId = await upload(owner, 'invoice-HF-2041.pdf');
    expect((await analyze(app, stranger.token, fileId)).status).toBe(404);
    expect((await analyze(app, app.anonKey, fileId)).status).toBe(401);
    const clicks = await Promise.all(Array.from({ length: 5 }, () => analyze(app, owner.token, fileId)));
    expect(new Set(clicks.map(({ body }) => body.analysis_id)).size).toBe(1);
    expect((await settled(app, fileId)).status).toBe('analyzed');
    const { count } = await app.resources.database.one(
      'select count(*) from private.analyses where file_id = $1',
      [fileId],
    );
    expect(count).toBe('1');
  });

  test('a locked document needs a password, a damaged one gives the reason and may be tried again free of charge', async () => {
    claims('The file is locked by a password.', 'This document is locked with a password.');
    const credits = await creditsOf(app, owner.id);
    const locked = await upload(owner, 'tenancy-agreement-locked.pdf');
    await analyze(app, owner.token, locked);
    expect(await settled(app, locked)).toMatchObject({ status: 'needs_password', analyzed: false });
    const damaged = await upload(owner, 'damaged.pdf');
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const { body } = await analyze(app, owner.token, damaged);
      expect(body.status).toBe('queued');
      const file = await settled(app, damaged);
      expect(file.status).toBe('failed');
      expect(file.status_reason).toContain('damaged');
    }
    const { data } = await owner.client
      .from('user_files')
      .select('file_name, unreadable')
      .in('id', [damaged, locked])
      .order('file_name');
    expect(data).toEqual([
      { file_name: 'damaged.pdf', unreadable: true },
      { file_name: 'tenancy-agreement-locked.pdf', unreadable: false },
    ]);
    expect(await creditsOf(app, owner.id)).toBe(credits - 2);
  });

  test('a locked document is read with its password, and a wrong password gets its own sentence', async () => {
    const locked = await upload(owner, 'tenancy-agreement-locked.pdf');
    await analyze(app, owner.token, locked, 'rose');
    expect((await settled(app, locked)).status_reason).toContain('That password does not open');
    await analyze(app, owner.token, locked, 'tulip');
    expect(await settled(app, locked)).toMatchObject({ status: 'analyzed', analyzed: true });
  });

  test('a record without its object is removed, with the specified message', async () => {
    const fileId = await upload(owner, 'letter-rent-review.txt');
    const { version } = await app.resources.database.one(
      'select o.version from storage.objects o join public.user_files f on f.file_path = o.name where f.id = $1',
      [fileId],
    );
    await app.resources.objects.remove(String(version));
    const { status, body } = await analyze(app, owner.token, fileId);
    expect(status).toBe(404);
    expect(body).toMatchObject({ error: MESSAGES.analysis.missing, code: FILE_MISSING });
    const { data } = await owner.client.from('user_files').select('id').eq('id', fileId);
    expect(data).toEqual([]);
  });

  test('a request whose document was deleted ends at once, with the specified message', async () => {
    const { database } = app.resources;
    const fileId = await upload(owner, 'letter-rent-review.txt');
    await database.run(
      'delete from storage.objects where name = (select file_path from public.user_files where id = $1)',
      [fileId],
    );
    await database.transaction(async (queries) => {
      const { id } = await queries.one(
        `insert into private.analyses (file_id, user_id, target, deadline_at, context)
         values ($1, $2, 'embedded', now() + interval '1 hour', '{}') returning id`,
        [fileId, owner.id],
      );
      await app.resources.outbox.add(queries, REQUEST_EVENT, id, undefined);
    });
    expect(await settled(app, fileId)).toMatchObject({
      status: 'failed',
      status_reason: MESSAGES.analysis.noFileUrl,
    });
  });

  test('deleting the file removes its report and its analyses', async () => {
    const fileId = await upload(owner, 'letter-rent-review.txt');
    await analyze(app, owner.token, fileId);
    await settled(app, fileId);
    await owner.client.from('user_files').delete().eq('id', fileId).eq('user_id', owner.id);
    for (const table of ['northline_app.analysis_reports', 'private.analyses']) {
      expect(
        await app.resources.database.many(
          uncheckedSql<object>(`select 1 from ${table} where file_id = $1`, 'composed'),
          [fileId],
        ),
      ).toEqual([]);
    }
  });

  test('a file can be deleted at the moment at which its analysis ends', async () => {
    const fileId = await upload(owner, 'letter-rent-review.txt');
    const { id } = await app.resources.database.one(
      `insert into private.analyses (file_id, user_id, target, state, deadline_at)
       values ($1, $2, 'external', 'sent', now() + interval '1 hour') returning id`,
      [fileId, owner.id],
    );
    const end = () =>
      app.resources.database.transaction((queries) =>
        failAnalysis(queries, id, { code: 'deadline', sentence: 'It took too long.' }),
      );
    await overtake(app, end, [
      'select 1 from public.user_files where id = $1 for update',
      [fileId],
      'delete from public.user_files where id = $1',
    ]);
    expect(await app.resources.database.maybe('select 1 from private.analyses where id = $1', [id])).toBe(
      undefined,
    );
  });

  test('a job that runs twice gives one report, and a closed analysis stays closed', async () => {
    const fileId = await upload(owner, 'supplier-terms.docx');
    const { body } = await analyze(app, owner.token, fileId);
    await settled(app, fileId);
    const before = await reportOf(app, fileId);
    // As after a crash between the work and its record: the same job runs again.
    const { data } = await app.resources.database.one(
      "select data from private.job where name = 'embedded-analysis' and data ->> 'analysisId' = $1",
      [String(body.analysis_id)],
    );
    await app.resources.jobs.add(app.resources.database, 'embedded-analysis', data as object);
    await expect
      .poll(() =>
        app.resources.database.one(
          "select count(*) from private.job where name = 'embedded-analysis' and data ->> 'analysisId' = $1 and state = 'completed'",
          [String(body.analysis_id)],
        ),
      )
      .toEqual({ count: '2' });
    expect(await reportOf(app, fileId)).toEqual(before);
  });

  test('requests to it without a valid signature are refused', async () => {
    const send = (headers: Record<string, string>): Promise<Response> =>
      fetch(`${app.url}/embedded/analysis`, {
        method: 'POST',
        body: '{}',
        headers: { 'content-type': 'application/json', ...headers },
      });
    expect((await send({})).status).toBe(401);
    const now = new Date();
    const forged = {
      'webhook-id': 'x',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook('whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA').sign('x', now, '{}'),
    };
    expect((await send(forged)).status).toBe(401);
  });
});
