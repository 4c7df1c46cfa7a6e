import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  corpusFile,
  createCustomer,
  SMALL_PDF,
  storedFiles,
  type UploadingCustomer,
} from '../../../../tests/support/customers/uploading-customer.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';

const MB = 1024 * 1024;
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const DOCM = 'application/vnd.ms-word.document.macroenabled.12';
const ODT = 'application/vnd.oasis.opendocument.text';

let app: TestApp;
let customer: UploadingCustomer;
let serial = 0;

beforeAll(async () => {
  app = await startTestApp();
  customer = await createCustomer(app, 1000);
});
afterAll(() => app?.close());

/** Uploads with a credit of its own; returns `stored` or the code of the refusal. */
async function send(name: string, body: Buffer | string, contentType: string): Promise<string> {
  await customer.takeCredit();
  serial += 1;
  const { error } = await customer.bucket.upload(customer.path(`${serial}_${name}`), body, { contentType });
  return error === null ? 'stored' : String((error as { code?: string }).code);
}

/** Sends pieces over a plain connection, with the claimed length, or chunked when no length is given. */
function stream(
  who: UploadingCustomer,
  name: string,
  pieces: Iterable<Buffer>,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: { code?: string; message?: string } }> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(`${app.url}/storage/v1/object/user-uploads/${who.path(name)}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${who.token}`, 'content-type': 'application/pdf', ...headers },
    });
    const closed = once(outgoing, 'close').catch(() => {});
    let answered = false;
    outgoing.on('response', (reply) => {
      answered = true;
      let text = '';
      reply.setEncoding('utf8').on('data', (piece) => {
        text += piece;
      });
      reply.on('end', () => {
        outgoing.destroy();
        resolve({ status: reply.statusCode ?? 0, body: JSON.parse(text || '{}') });
      });
    });
    outgoing.on('error', (error) => {
      if (!answered) reject(error);
    });
    void (async () => {
      for (const piece of pieces) {
        if (answered || outgoing.destroyed) break;
        if (!outgoing.write(piece)) await Promise.race([once(outgoing, 'drain'), closed]);
      }
      outgoing.end();
    })();
  });
}

function* pdfOf(bytes: number): Generator<Buffer> {
  yield SMALL_PDF;
  const piece = Buffer.alloc(256 * 1024, 32);
  for (let left = bytes - SMALL_PDF.length; left > 0; left -= piece.length) {
    yield piece.subarray(0, Math.min(left, piece.length));
  }
}

describe('bytes, name and declared type must agree', () => {
  test.each([
    ['a page in a .pdf', 'a.pdf', '<!doctype html><script>alert(1)</script>', 'application/pdf'],
    [
      'a picture with script in a .pdf',
      'a.pdf',
      '<svg xmlns="http://www.w3.org/2000/svg"/>',
      'application/pdf',
    ],
    ['a page before the PDF', 'a.pdf', `<html>${SMALL_PDF.toString('latin1')}`, 'application/pdf'],
    ['an archive named .pdf', 'a.pdf', 'PK\x03\x04aaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'application/octet-stream'],
    ['a PDF named .docx', 'a.docx', SMALL_PDF, DOCX],
    ['a PDF declared as text', 'a.txt', SMALL_PDF, 'text/plain'],
    ['a PDF with another name', 'a.txt', SMALL_PDF, 'application/pdf'],
    ['text with a NUL', 'a.txt', 'a\0b', 'text/plain'],
    ['half a surrogate in UTF-16', 'a.txt', Buffer.from([0xff, 0xfe, 0x00, 0xdc, 0x41, 0x00]), 'text/plain'],
    ['an empty PDF', 'a.pdf', '', 'application/pdf'],
    ['a program', 'a.exe', 'MZ', 'application/x-msdownload'],
    ['a drawing', 'a.svg', '<svg/>', 'image/svg+xml'],
    ['an unknown name without a type', 'a.xyz', 'x', 'application/octet-stream'],
  ])('%s is refused as 415 and its credit is released', async (_what, name, body, type) => {
    const before = await customer.credits();
    expect(await send(name, body, type)).toBe('InvalidMimeType');
    expect(await customer.credits()).toBe(before);
  });

  test('text in UTF-8, UTF-16 and old code pages is accepted', async () => {
    const words = 'Zażółć gęślą jaźń, hello world. '.repeat(20);
    const marked = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(words, 'utf16le')]);
    expect(await send('a.txt', words, 'text/plain;charset=UTF-8')).toBe('stored');
    expect(await send('a.txt', marked, '')).toBe('stored');
    expect(await send('a.txt', marked, 'no type')).toBe('stored');
    expect(await send('a.txt', Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2, 0x20]), 'text/plain')).toBe(
      'stored',
    );
  });

  test.skipIf(corpusFile('index.json') === undefined)('real documents pass, broken ones do not', async () => {
    const cases: [string, string, string][] = [
      ['doc__dl_legacy_sample.doc', 'application/msword', 'stored'],
      ['doc__testLargeOLEDoc.doc', 'application/msword', 'stored'],
      ['docx__dl_word_sample.docx', DOCX, 'stored'],
      ['docx__testWORD_charts.docx', DOCX, 'stored'],
      ['docm__testWORD_macros.docm', DOCM, 'stored'],
      ['odt__testODFwithOOo3.odt', ODT, 'stored'],
      ['odt__testODTnotaZipFile.odt', ODT, 'InvalidMimeType'],
      ['pdf__contract.pdf', 'application/pdf', 'stored'],
      ['pdf__empty.pdf', '', 'stored'],
      ['rtf__testRTFVarious.rtf', 'application/rtf', 'stored'],
      ['txt__russian.cp866.txt', 'text/plain', 'stored'],
      ['img__testOCR.png', 'image/png', 'stored'],
      ['img__testWEBP.webp', 'image/webp', 'stored'],
      ['video__testVideoMp4.mp4', 'video/mp4', 'stored'],
    ];
    for (const [name, type, expected] of cases) {
      expect([name, await send(name, corpusFile(name) ?? '', type)]).toEqual([name, expected]);
    }
  });
});

describe('size', () => {
  test('101 MB without a length are stopped in the stream, with a length before it', async () => {
    const who = await createCustomer(app, 2);
    await who.takeCredit();
    const chunked = await stream(who, 'big.pdf', pdfOf(101 * MB));
    expect(chunked).toMatchObject({
      status: 400,
      body: { code: 'EntityTooLarge', message: 'File size exceeds the maximum limit of 100MB' },
    });
    await who.takeCredit();
    const declared = await stream(who, 'big.pdf', pdfOf(101 * MB), { 'content-length': String(101 * MB) });
    expect(declared.body).toMatchObject({ statusCode: '413', code: 'EntityTooLarge' });
    expect(await who.credits()).toBe(2);
    expect(await storedFiles(app, 'received')).toEqual([]);
  });

  test('exactly 100 MB are stored, and memory stays flat', async () => {
    const who = await createCustomer(app, 1);
    await who.takeCredit();
    globalThis.gc?.();
    const before = process.memoryUsage().rss;
    let peak = before;
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss);
    }, 10);
    const { status } = await stream(who, 'full.pdf', pdfOf(100 * MB));
    clearInterval(watch);
    expect(status).toBe(200);
    // Client and server share this process; if the upload were buffered, it would take 100 MB or more.
    expect((peak - before) / MB).toBeLessThan(80);
    expect((await who.bucket.info(who.path('full.pdf'))).data?.size).toBe(100 * MB);
  });

  test('a plan’s storage is never exceeded, also by parallel uploads', async () => {
    const who = await createCustomer(app, 20);
    await app.resources.database.run(
      `insert into storage.objects (id, bucket_id, name, owner, version, metadata)
       select gen_random_uuid(), 'user-uploads', $1::text || '/earlier', null, gen_random_uuid()::text, '{}'`,
      [who.id],
    );
    // 250 MB without a plan: 249 MB and 800 KB are reserved by another upload under way.
    await who.takeCredit();
    await app.resources.database.run(
      "select private.begin_upload(gen_random_uuid(), 'user-uploads', 'x', $1, $2, $2, interval '1 hour')",
      [who.id, 250 * MB - 200 * 1024],
    );
    const results = await Promise.all(
      Array.from({ length: 5 }, (_, index) => who.upload(`${index}.txt`, 'x'.repeat(90 * 1024))),
    );
    expect(results.filter((result) => result === 'stored')).toHaveLength(2);
    expect(results.filter((result) => /storage is full/.test(result))).toHaveLength(3);
    await who.takeCredit();
    const chunked = await stream(who, 'long.pdf', pdfOf(MB));
    expect(chunked.body).toMatchObject({ code: 'QuotaExceeded' });
    expect(await who.credits()).toBe(17);
  });

  test('a larger plan has more space', async () => {
    const who = await createCustomer(app, 1);
    const { database } = app.resources;
    await database.run('update public.customers set customer_id = $1::text where user_id = $2', [
      `cus_${who.id}`,
      who.id,
    ]);
    await database.run(
      `insert into public.subscriptions (customer_id, subscription_id, price_id, tier, status)
       values ($1, $1, 'price_courses_enterprise', 'enterprise', 'active')`,
      [`cus_${who.id}`],
    );
    const { limit } = await database.one('select private.storage_limit_bytes($1) as limit', [who.id]);
    expect(Number(limit)).toBe(2048 * MB);
  });
});

describe('uploads that do not arrive', () => {
  test('a connection that breaks leaves no bytes and releases the credit', async () => {
    const who = await createCustomer(app, 1);
    await who.takeCredit();
    expect(await who.credits()).toBe(0);
    for (const headers of [{ 'content-length': String(20 * MB) }, undefined]) {
      const outgoing = httpRequest(`${app.url}/storage/v1/object/user-uploads/${who.path('cut.pdf')}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${who.token}`, 'content-type': 'application/pdf', ...headers },
      });
      outgoing.on('error', () => {});
      outgoing.write(Buffer.concat([SMALL_PDF, Buffer.alloc(2 * MB, 32)]));
      await expect.poll(() => storedFiles(app, 'received')).toHaveLength(1);
      outgoing.destroy();
      await expect.poll(who.credits).toBe(1);
      await expect.poll(() => storedFiles(app, 'received')).toEqual([]);
      await who.takeCredit();
    }
    expect((await who.bucket.exists(who.path('cut.pdf'))).data).toBe(false);
  });

  test.each([
    [
      'a form without a file',
      'multipart/form-data; boundary=b',
      '--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\n',
    ],
    [
      'a form without its end',
      'multipart/form-data; boundary=b',
      '--b\r\ncontent-disposition: form-data; name=""; filename="x"\r\ncontent-type: text/plain\r\n\r\nhalf',
    ],
    ['a form without a boundary', 'multipart/form-data', 'x'],
    ['a parsed form as JSON', 'application/json', '{"files":{"":{"filepath":"/etc/passwd"}}}'],
    [
      'metadata that is no JSON',
      'multipart/form-data; boundary=b',
      '--b\r\ncontent-disposition: form-data; name="metadata"\r\n\r\n{\r\n--b\r\ncontent-disposition: form-data; name=""; filename="x"\r\ncontent-type: text/plain\r\n\r\nx\r\n--b--\r\n',
    ],
  ])('%s is refused and costs nothing', async (_what, type, body) => {
    const who = await createCustomer(app, 1);
    await who.takeCredit();
    const reply = await fetch(`${app.url}/storage/v1/object/user-uploads/${who.path('a.txt')}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${who.token}`, 'content-type': type },
      body,
    });
    expect(reply.status).toBe(400);
    expect(await who.credits()).toBe(1);
    expect((await who.bucket.exists(who.path('a.txt'))).data).toBe(false);
    expect(await storedFiles(app, 'received')).toEqual([]);
  });
});
