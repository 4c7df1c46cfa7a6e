import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { failureOf, type ReadingReply } from '@northline/document-reader/reader-messages';
import { runReader } from '@northline/document-reader/reader-run';
import type { JobAttempt } from '../../kernel/resources/jobs/jobs.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { splitPassages } from './passage-split.server.ts';

/** The job that reads a stored file and makes its text searchable. */
export const INDEX_JOB = 'index-voice-file';

/** Defines the job that reads files; called before `jobs.start`. */
export function defineIndexing(resources: Resources): void {
  resources.jobs.define<{ fileId: string }>(
    INDEX_JOB,
    { retries: 6, retryDelaySeconds: 2, timeoutSeconds: 240, concurrency: 1 },
    (job) => indexFile(resources, job),
  );
}

async function indexFile(
  resources: Resources,
  { data: { fileId }, signal, last }: JobAttempt<{ fileId: string }>,
): Promise<void> {
  const { database } = resources;
  const file = await database.maybe(
    `select o.version /* not null */, r.body ->> 'originalName' as name /* not null */
       from private.voice_records r join storage.objects o on o.id = r.id and o.bucket_id = 'voice-files'
      where r.id = $1 and r.kind = 'file'`,
    [fileId],
  );
  // The file has been deleted meanwhile.
  if (file === undefined) return;
  const reply = await readObject(resources, file, signal);
  // The machine may have been at fault, so a crash says nothing about the file while attempts are left.
  if (!last && reply.outcome === 'unreadable' && failureOf(reply).code === 'reader_crashed')
    throw new Error('the reader of a file crashed');
  const passages = reply.outcome === 'read' ? splitPassages(reply.blocks) : [];
  const bytes = passages.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  const told =
    reply.outcome === 'read'
      ? { status: 'indexed', parsedTextBytes: bytes }
      : { status: 'not_indexed', statusReason: reply.sentence };
  await database.transaction(async (queries) => {
    const there = await queries.maybe(
      "select 1 from private.voice_records where id = $1 and kind = 'file' for update",
      [fileId],
    );
    if (there === undefined) return;
    await queries.run('delete from private.voice_passages where file_id = $1', [fileId]);
    await queries.run(
      `insert into private.voice_passages (file_id, position, page, text)
       select $1, ordinality, page, text from unnest($2::integer[], $3::text[]) with ordinality as p (page, text)`,
      [fileId, passages.map(({ page }) => page), passages.map(({ text }) => text)],
    );
    await queries.run(
      'update private.voice_records set body = body || $2::jsonb, updated_at = now() where id = $1',
      [fileId, JSON.stringify(told)],
    );
  });
}

/**
 * Reads the object in the process that reads customers' documents: with limits, and without secrets or
 * network.
 */
async function readObject(
  { objects, settings }: Resources,
  { version, name }: { version: string; name: string },
  signal: AbortSignal,
): Promise<ReadingReply> {
  const base = path.join(settings.DATA_DIR, 'reading');
  await mkdir(base, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(path.join(base, 'document-'));
  try {
    const bytes = await objects.read(version);
    if (bytes === undefined) throw new Error('the bytes of a file are missing');
    const file = path.join(folder, 'document');
    await pipeline(bytes, createWriteStream(file, { mode: 0o600 }), { signal });
    const createdAt = new Date().toISOString();
    return await runReader(
      { path: file, fileName: name, createdAt, ocrPages: settings.DOCUMENT_OCR_PAGES },
      signal,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
