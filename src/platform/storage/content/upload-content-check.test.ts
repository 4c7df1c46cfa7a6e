import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeOutlook } from '../../../../packages/document-reader/src/formats/write-outlook.fixture.ts';
import { writeOldWord } from '../../../../packages/document-reader/src/samples/write-old-word.fixture.ts';
import { writePdf } from '../../../../packages/document-reader/src/samples/write-pdf.fixture.ts';
import { checkContent } from './upload-content-check.server.ts';

test('a PDF whose header stands behind other bytes may be uploaded; behind markup it may not', async () => {
  const pdf = writePdf([[{ x: 50, y: 700, size: 12, text: 'The harbour wall is rebuilt in spring.' }]]);
  const behind = (junk: string): Buffer => Buffer.concat([Buffer.from(junk), pdf]);
  const folder = await mkdtemp(path.join(os.tmpdir(), 'northline-upload-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const upload = async (content: Buffer): Promise<void> => {
    const file = path.join(folder, 'upload');
    await writeFile(file, content);
    const check = checkContent('scan.pdf', 'application/pdf');
    for (let at = 0; at < content.length; at += 700) check.inspect(content.subarray(at, at + 700));
    await check.finish(file);
  };
  await upload(behind('\x1b%-12345X@PJL JOB\r\n@PJL ENTER LANGUAGE=PDF\r\n'));
  await upload(pdf);
  for (const junk of ['<script>alert(1)</script>', 'x'.repeat(1100)])
    await expect(upload(behind(junk))).rejects.toMatchObject({ status: 415 });
  await expect(upload(Buffer.from('no header'))).rejects.toMatchObject({ status: 415 });
});

test('pages and mails may be uploaded under their names; bytes that are no text may not', () => {
  for (const [name, type] of [
    ['terms.html', 'text/html'],
    ['terms.HTM', ''],
    ['order.eml', 'message/rfc822'],
    ['order.eml', 'application/octet-stream'],
  ] as const) {
    expect(() =>
      checkContent(name, type).inspect(Buffer.from('<html>From: text, long enough</html>')),
    ).not.toThrow();
    expect(() => checkContent(name, type).inspect(Buffer.from('MZ\0\0 a program, long enough'))).toThrow();
  }
  expect(() => checkContent('order.eml', 'text/html')).toThrow();
});

test('a message of Outlook may be uploaded under its name; an old Word file under it may not', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'northline-upload-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const upload = async (content: Buffer): Promise<void> => {
    const file = path.join(folder, 'upload');
    await writeFile(file, content);
    const check = checkContent('rent.msg', 'application/vnd.ms-outlook');
    check.inspect(content);
    await check.finish(file);
  };
  const person = { name: 'Ann', address: 'ann@example.com' };
  await upload(writeOutlook({ subject: 'Rent', from: person, to: [], delivered: new Date(), files: [] }));
  await expect(upload(writeOldWord(['A letter of some length']))).rejects.toMatchObject({ status: 415 });
});
