import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { claims } from '../../../../tests/support/claims.ts';
import {
  createCustomer,
  SMALL_PDF,
  type UploadingCustomer,
} from '../../../../tests/support/customers/uploading-customer.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';

const PDF = { contentType: 'application/pdf' };

let app: TestApp;
let anna: UploadingCustomer;
let boris: UploadingCustomer;

beforeAll(async () => {
  app = await startTestApp();
  anna = await createCustomer(app, 20);
  boris = await createCustomer(app, 20);
});
afterAll(() => app?.close());

async function sign(name: string): Promise<string> {
  const { data, error } = await anna.bucket.createSignedUploadUrl(anna.path(name));
  if (error !== null) throw error;
  return data.token;
}

/** A client without an account: only the address can give it access. */
function stranger() {
  return createClient(app.url, app.anonKey).storage.from('user-uploads');
}

describe('signed upload addresses', () => {
  test('store on behalf of the person who signed, with one of their credits', async () => {
    const token = await sign('Été 1.pdf');
    await anna.takeCredit();
    const { data, error } = await stranger().uploadToSignedUrl(
      anna.path('Été 1.pdf'),
      token,
      new Blob([new Uint8Array(SMALL_PDF)], { type: 'application/pdf' }),
    );
    expect(error).toBeNull();
    expect(data?.fullPath).toBe(`user-uploads/${anna.path('Été 1.pdf')}`);
    expect((await anna.spendings()).at(-1)).toBe('stored');
    const info = await anna.bucket.info(anna.path('Été 1.pdf'));
    expect(info.data).toMatchObject({ size: SMALL_PDF.length, contentType: 'application/pdf' });
  });

  test('store once, also after the object was removed', async () => {
    const token = await sign('once.pdf');
    await anna.takeCredit();
    const first = await stranger().uploadToSignedUrl(anna.path('once.pdf'), token, SMALL_PDF, PDF);
    expect(first.error).toBeNull();
    const credits = await anna.credits();
    await anna.bucket.remove([anna.path('once.pdf')]);
    expect(await anna.credits()).toBe(credits + 1);
    await anna.takeCredit();
    const again = await stranger().uploadToSignedUrl(anna.path('once.pdf'), token, SMALL_PDF, PDF);
    expect(again.error).toMatchObject({ status: 400, statusCode: '409', code: 'KeyAlreadyExists' });
    expect((await anna.bucket.exists(anna.path('once.pdf'))).data).toBe(false);
    // A used address cannot spend the owner's credits either.
    expect((await anna.spendings()).at(-1)).toBe('reserved');
    expect((await anna.bucket.upload(anna.path('once.pdf'), SMALL_PDF, PDF)).error).toBeNull();
  });

  test('of two simultaneous uploads one stores, and the other releases its credit', async () => {
    const bucket = await openBucket();
    const { data } = await bucket.createSignedUploadUrl('raced.txt', { upsert: true });
    const send = (text: string) => bucket.uploadToSignedUrl('raced.txt', data?.token ?? '', text);
    const outcomes = await Promise.all([send('first'), send('second')]);
    expect(outcomes.filter(({ error }) => error === null)).toHaveLength(1);
    const refused = outcomes.find(({ error }) => error !== null);
    expect(refused?.error).toMatchObject({ code: 'KeyAlreadyExists' });
  });

  test('never overwrite in user-uploads', async () => {
    const early = await sign('kept.pdf');
    await anna.takeCredit();
    expect((await anna.bucket.upload(anna.path('kept.pdf'), SMALL_PDF, PDF)).error).toBeNull();
    const credits = await anna.credits();
    await anna.takeCredit();
    const over = await stranger().uploadToSignedUrl(anna.path('kept.pdf'), early, `${SMALL_PDF} `, PDF);
    expect(over.error).toMatchObject({ statusCode: '409', code: 'KeyAlreadyExists' });
    expect(await anna.credits()).toBe(credits);
    expect((await anna.bucket.createSignedUploadUrl(anna.path('kept.pdf'))).error).toMatchObject({
      statusCode: '409',
    });
    const upsert = await anna.bucket.createSignedUploadUrl(anna.path('kept.pdf'), { upsert: true });
    expect(upsert.error).toMatchObject({ statusCode: '403', code: 'AccessDenied' });
    expect((await anna.bucket.info(anna.path('kept.pdf'))).data?.size).toBe(SMALL_PDF.length);
  });

  test('overwrite elsewhere only when they were signed for that', async () => {
    const bucket = await openBucket();
    await bucket.upload('a.txt', 'first');
    expect((await bucket.createSignedUploadUrl('a.txt')).error).toMatchObject({ statusCode: '409' });
    const { data } = await bucket.createSignedUploadUrl('a.txt', { upsert: true });
    expect((await bucket.uploadToSignedUrl('a.txt', data?.token ?? '', 'second')).error).toBeNull();
    expect(await (await bucket.download('a.txt')).data?.text()).toBe('second');
  });

  test('keep the rules of every upload: credit, type, size', async () => {
    claims('We refuse a file that we cannot read before it takes a credit.');
    const noCredit = await stranger().uploadToSignedUrl(
      anna.path('x.pdf'),
      await sign('x.pdf'),
      SMALL_PDF,
      PDF,
    );
    expect(noCredit.error).toMatchObject({ statusCode: '403', code: 'AccessDenied' });
    await anna.takeCredit();
    const wrong = await stranger().uploadToSignedUrl(anna.path('y.pdf'), await sign('y.pdf'), '<html>', PDF);
    expect(wrong.error).toMatchObject({ statusCode: '415', code: 'InvalidMimeType' });
    expect((await anna.spendings()).at(-1)).toBe('returned');
    const small = await openBucket({ fileSizeLimit: 10 });
    const { data } = await small.createSignedUploadUrl('big.txt');
    const big = await small.uploadToSignedUrl('big.txt', data?.token ?? '', 'eleven byte');
    expect(big.error).toMatchObject({ statusCode: '413', code: 'EntityTooLarge' });
    // Nothing was stored, so the address works for another attempt.
    expect((await small.uploadToSignedUrl('big.txt', data?.token ?? '', 'ten bytes.')).error).toBeNull();
  });

  test('can be signed only by callers who may store there', async () => {
    const refused = [
      await boris.bucket.createSignedUploadUrl(anna.path('planted.pdf')),
      await stranger().createSignedUploadUrl(anna.path('planted.pdf')),
    ];
    for (const { error } of refused) expect(error).toMatchObject({ statusCode: '403', code: 'AccessDenied' });
  });

  test('work only for their path and purpose', async () => {
    const token = await sign('path.pdf');
    await anna.takeCredit();
    const elsewhere = await stranger().uploadToSignedUrl(anna.path('other.pdf'), token, SMALL_PDF, PDF);
    expect(elsewhere.error).toMatchObject({ statusCode: '400', code: 'InvalidSignature' });
    const forged = await stranger().uploadToSignedUrl(anna.path('path.pdf'), `${token}x`, SMALL_PDF, PDF);
    expect(forged.error).toMatchObject({ statusCode: '400', code: 'InvalidJWT' });
    const reading = await fetch(
      `${app.url}/storage/v1/object/sign/user-uploads/${anna.path('path.pdf')}?token=${token}`,
    );
    expect(reading.status).toBe(400);
    expect((await anna.bucket.upload(anna.path('path.pdf'), SMALL_PDF, PDF)).error).toBeNull();
    const download = await anna.bucket.createSignedUrl(anna.path('path.pdf'), 60);
    const readToken = new URL(download.data?.signedUrl ?? '').searchParams.get('token') ?? '';
    const writing = await stranger().uploadToSignedUrl(anna.path('path.pdf'), readToken, SMALL_PDF, PDF);
    expect(writing.error).toMatchObject({ statusCode: '400', code: 'InvalidJWT' });
  });

  test('end with the account that signed them', async () => {
    const leaver = await createCustomer(app, 1);
    const { data } = await leaver.bucket.createSignedUploadUrl(leaver.path('late.pdf'));
    await app.resources.database.run('delete from auth.users where id = $1', [leaver.id]);
    const late = await stranger().uploadToSignedUrl(
      leaver.path('late.pdf'),
      data?.token ?? '',
      SMALL_PDF,
      PDF,
    );
    expect(late.error).toMatchObject({ statusCode: '403', code: 'AccessDenied' });
  });
});

let buckets = 0;
/** A bucket of the server's own that allows overwriting. */
async function openBucket(options: { fileSizeLimit?: number } = {}) {
  const { storage } = createClient(app.url, app.serviceKey);
  buckets += 1;
  const { error } = await storage.createBucket(`open-${buckets}`, { public: false, ...options });
  if (error !== null) throw error;
  return storage.from(`open-${buckets}`);
}
