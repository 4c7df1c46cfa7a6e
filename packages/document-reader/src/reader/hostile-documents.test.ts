import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { crc32, deflateSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { readDocument as read } from '../samples/document-reader.fixture.ts';
import { makeDocuments } from '../samples/make-documents.fixture.ts';
import { partsOfWord, writeZip } from '../samples/write-zip.fixture.ts';
import { readerProgram } from './reader-program.ts';
import { READER_LIMITS, readerSandbox, runReader } from './reader-run.ts';

const own = makeDocuments();
/** The program of a reader. */
const ENTRY = readerProgram('reader-process');

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
    const parts = Array.from({ length: 100_000 }, (_, index) => ({ name: `word/${index}.xml`, content: '' }));
    const zip = longZip([...partsOfWord(), ...parts]);
    expect(await read('many.docx', zip)).toMatchObject({ outcome: 'unreadable', code: 'too_large' });
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

  test('of a page tree that claims two billion pages, the two that are there are read', async () => {
    const pdf = (own['tenancy-agreement.pdf'] ?? Buffer.alloc(0)).toString('latin1');
    const liar = pdf.replace('/Count 2', '/Count 2000000000');
    const limits = { ...READER_LIMITS, cpuMs: 20_000 };
    const reply = await read('liar.pdf', Buffer.from(liar, 'latin1'), { limits });
    expect(reply).toMatchObject({ outcome: 'read', report: { document: { pages: 2 } } });
  });

  test('the reader cannot read another file, nor write one or start a program', async () => {
    const [program = '', ...words] = await wordsOfRunningReader();
    const entry = words.indexOf(ENTRY);
    const attempts = `
      const fs = require('node:fs');
      const attempts = {
        own: () => fs.readFileSync(${JSON.stringify(words[entry])}) && 'read',
        other: () => fs.readFileSync('/etc/passwd') && 'read',
        written: () => fs.writeFileSync('/tmp/northline-reader', '') ?? 'written',
        program: () => require('node:child_process').execFileSync('/bin/true') && 'ran',
      };
      const met = Object.entries(attempts).map(([name, attempt]) => {
        try { return [name, attempt()]; } catch (error) { return [name, error.code]; }
      });
      console.log(JSON.stringify(Object.fromEntries(met)));
    `;
    const said = execFileSync(program, [...words.slice(0, entry), '-e', attempts], { encoding: 'utf8' });
    const denied = 'ERR_ACCESS_DENIED';
    expect(JSON.parse(said)).toEqual({ own: 'read', other: denied, written: denied, program: denied });
  });
});

/** The words of the command that a reader of ours runs under, as the system shows them while it is at work. */
async function wordsOfRunningReader(): Promise<string[]> {
  // Its programs name the same file, and have ended before the reader begins.
  await readerSandbox();
  const stop = new AbortController();
  const request = { fileName: 'x.txt', createdAt: '2026-03-10T09:00:00.000Z', ocrPages: 0 };
  const reading = runReader({ ...request, path: import.meta.filename }, stop.signal).catch(() => 'stopped');
  const words = await vi.waitUntil(() => readerWords(), { interval: 5 });
  stop.abort();
  await reading;
  return words;
}

/** Of the processes that this one has started, the reader's words; undefined until it has begun. */
function readerWords(): string[] | undefined {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ');
  return children
    .filter((id) => existsSync(`/proc/${id}/cmdline`))
    .map((id) => readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0').filter(Boolean))
    .find((words) => words[0] === process.execPath && words.includes(ENTRY));
}

/** A zip whose parts are stored as they are. The classic format counts 65,535, so the count is in the records of ZIP64. */
function longZip(parts: readonly { readonly name: string; readonly content: string }[]): Buffer {
  const count = parts.length;
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content } of parts) {
    const [label, bytes] = [Buffer.from(name), Buffer.from(content)];
    const common = Buffer.alloc(26);
    common.writeUInt16LE(45, 0);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(bytes.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(label.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x2d\x00', 'latin1'), common, place, label);
    files.push(Buffer.from('PK\x03\x04', 'latin1'), common, label, bytes);
    offset += 30 + label.length + bytes.length;
  }
  const list = Buffer.concat(directory);
  const end64 = Buffer.alloc(56);
  end64.write('PK\x06\x06', 'latin1');
  end64.writeBigUInt64LE(44n, 4);
  end64.writeUInt16LE(45, 12);
  end64.writeUInt16LE(45, 14);
  for (const [at, value] of [count, count, list.length, offset].entries())
    end64.writeBigUInt64LE(BigInt(value), 24 + 8 * at);
  const locator = Buffer.alloc(20);
  locator.write('PK\x06\x07', 'latin1');
  locator.writeBigUInt64LE(BigInt(offset + list.length), 8);
  locator.writeUInt32LE(1, 16);
  const end = Buffer.concat([
    Buffer.from('PK\x05\x06\0\0\0\0', 'latin1'),
    Buffer.alloc(12, 0xff),
    Buffer.alloc(2),
  ]);
  return Buffer.concat([...files, list, end64, locator, end]);
}

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
