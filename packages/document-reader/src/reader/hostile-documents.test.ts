import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readDocument as read } from '../samples/document-reader.fixture.ts';
import { makeDocuments } from '../samples/make-documents.fixture.ts';
import { partsOfWord, writeZip } from '../samples/write-zip.fixture.ts';
import { READER_LIMITS, runReader } from './reader-run.ts';

const own = makeDocuments();

describe('hostile files lead to a defined result', () => {
  const megabytes = (count: number): Buffer => Buffer.alloc(count * 1024 * 1024, 'a');

  test('a zip that unpacks to a gigabyte', async () => {
    const part = { name: 'word/document.xml', content: megabytes(300) };
    const bomb = writeZip([...partsOfWord(), part]);
    expect(await read('bomb.docx', bomb)).toMatchObject({ outcome: 'unreadable', code: 'too_large' });
  });

  test('a zip whose declared size lies', async () => {
    const part = { name: 'word/document.xml', content: megabytes(300), declaredSize: 1000 };
    expect(await read('liar.docx', writeZip([...partsOfWord(), part]))).toMatchObject({ code: 'too_large' });
  });

  test('a hundred thousand entries', async () => {
    const parts = Array.from({ length: 6000 }, (_, index) => ({ name: `word/${index}.xml`, content: '' }));
    expect(await read('many.docx', writeZip([...partsOfWord(), ...parts]))).toMatchObject({
      code: 'too_large',
    });
  });

  test('a billion laughs and an outside entity expand to nothing', async () => {
    const doctype =
      '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d SYSTEM "file:///etc/passwd">]>';
    const content = `<?xml version="1.0"?>${doctype}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>start &c; &d; end</w:t></w:r></w:p></w:body></w:document>`;
    const reply = await read(
      'laughs.docx',
      writeZip([...partsOfWord(), { name: 'word/document.xml', content }]),
    );
    const text = JSON.stringify(reply);
    expect(text).not.toContain('hahahaha');
    expect(text).not.toContain('root:');
  });

  test('a PDF that inflates to a gigabyte is stopped by memory, time or its own end', async () => {
    const limits = { ...READER_LIMITS, memoryBytes: 400 * 1024 * 1024, cpuMs: 20_000, heapMb: 256 };
    const reply = await read('flate.pdf', flateBomb(), { limits });
    expect(reply.outcome).toBe('unreadable');
  });

  test('a document that fills the heap is refused as too large, not as damaged', async () => {
    const text = Buffer.from('The harbour office is open on Mondays and on Thursdays. '.repeat(40_000));
    const reply = await read('long.txt', text, { limits: { ...READER_LIMITS, heapMb: 24 } });
    expect(reply).toMatchObject({ outcome: 'unreadable', code: 'too_large', readerEnded: true });
  });

  test('a page tree that claims two billion pages', async () => {
    const pdf = (own['tenancy-agreement.pdf'] ?? Buffer.alloc(0)).toString('latin1');
    const liar = pdf.replace('/Count 2', '/Count 2000000000');
    const limits = { ...READER_LIMITS, cpuMs: 20_000 };
    const reply = await read('liar.pdf', Buffer.from(liar, 'latin1'), { limits });
    expect(['read', 'unreadable']).toContain(reply.outcome);
  });

  test('the reader cannot read another file', async () => {
    const reply = await runReader(
      { path: '/etc/hostname', fileName: 'x.txt', createdAt: '2026-03-10T09:00:00.000Z', ocrPages: 0 },
      AbortSignal.abort(),
    ).catch((error: Error) => error.message);
    expect(reply).toBe('the reader was stopped');
  });
});

function flateBomb(): Buffer {
  let data = Buffer.alloc(1024 * 1024 * 1024, ' ');
  data = deflateSync(data, { level: 1 });
  data = deflateSync(data, { level: 9 });
  const head = `%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Count 1 /Kids [3 0 R] >>\nendobj\n3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R >>\nendobj\n4 0 obj\n<< /Length ${data.length} /Filter [/FlateDecode /FlateDecode] >>\nstream\n`;
  return Buffer.concat([
    Buffer.from(head),
    data,
    Buffer.from('\nendstream\nendobj\ntrailer\n<< /Root 1 0 R /Size 5 >>\n%%EOF\n'),
  ]);
}
