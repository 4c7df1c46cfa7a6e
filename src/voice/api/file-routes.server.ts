import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { requireStorable } from '../../kernel/http/unstorable-text.ts';
import { createScan } from '../../platform/storage/content/content-scan.server.ts';
import { signedObjectUrl } from '../../platform/storage/objects/object-signing.server.ts';
import { unlinkDeleted } from '../../platform/storage/storage-sweep.server.ts';
import { storeOwnFile } from '../../platform/storage/uploads/own-file.server.ts';
import { discardRest } from '../../platform/storage/uploads/upload-body.server.ts';
import { FORM_OVERHEAD, readFileForm } from '../files/file-form.server.ts';
import { defineIndexing, INDEX_JOB } from '../files/file-index.server.ts';
import { checkFileKind } from '../files/file-kinds.server.ts';
import type { VoiceRecord } from '../records/voice-records.server.ts';
import { changeFileSchema, fileFieldsSchema, fileListSchema } from '../records/voice-resources.contract.ts';
import { idOf, parseVoice, type VoiceScope } from '../records/voice-scope.server.ts';

const BUCKET = 'voice-files';
/** Life of the address in a record, seconds. */
const URL_SECONDS = 3600;
const UPLOADS = { name: 'files of assistants', count: 60, seconds: 60 };

/**
 * Mounts files that assistants consult (docs/specification/platform.md §7, docs/contracts/voice.md §3): streamed into
 * the product's own object store, in a private bucket, and read in the reader's own process.
 */
export function mountFiles(scope: VoiceScope): void {
  const { server, records, resources } = scope;
  defineIndexing(resources);
  const show = (record: VoiceRecord): Promise<VoiceRecord> => withAddress(scope, record);
  server.register(async (uploads) => {
    uploads.removeAllContentTypeParsers();
    uploads.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    for (const url of ['/file', '/file/upload']) {
      uploads.post(url, { bodyLimit: Number.MAX_SAFE_INTEGER }, async (request, reply) => {
        try {
          return await reply.code(201).send(await show(await takeFile(scope, request)));
        } catch (error) {
          discardRest(request.raw);
          throw error;
        }
      });
    }
  });
  server.get('/file', async (request) => {
    const query = parseVoice(fileListSchema, request.query);
    return Promise.all((await records.list('file', query)).map(show));
  });
  server.get('/file/:id', async (request) => show(await records.find('file', idOf(request))));
  server.patch('/file/:id', async (request) => {
    const given = parseVoice(changeFileSchema, request.body);
    const changed = await records.change('file', idOf(request), (present) => ({
      body: { ...present, ...given },
      replaced: [],
    }));
    return show(changed);
  });
  server.delete('/file/:id', async (request) => {
    const removed = await records.remove('file', idOf(request));
    unlinkDeleted(resources).catch((error) => resources.log.warn({ err: error }, 'bytes are unlinked later'));
    return removed;
  });
}

/** Takes a file in: object, record and the job that reads it are there together or not at all. */
async function takeFile(scope: VoiceScope, request: FastifyRequest): Promise<VoiceRecord> {
  const { resources, records, orgId, http } = scope;
  await http.rateLimiter.take(UPLOADS, http.addressOf(request));
  const form = await readFileForm(request.raw);
  const { extension, check } = checkFileKind(form.fileName);
  const key = `${orgId}/${randomUUID()}.${extension}`;
  const length = Number(request.headers['content-length'] ?? Number.NaN);
  const scan = createScan(resources.settings, resources.log);
  const { id } = await storeOwnFile(
    { resources, scan },
    {
      bucketId: BUCKET,
      name: key,
      declared: Number.isSafeInteger(length) ? length : undefined,
      overhead: FORM_OVERHEAD,
      source: form.source,
      check,
    },
    async (queries, objectId, bytes) => {
      const fields = fileFields(await form.fields());
      const body = {
        object: 'file',
        status: 'not_indexed',
        name: form.fileName,
        originalName: form.fileName,
        bytes,
        mimetype: check.mimeType,
        key,
        path: key,
        bucket: BUCKET,
        ...fields,
      };
      await queries.run("insert into private.voice_records (id, kind, body) values ($1, 'file', $2)", [
        objectId,
        JSON.stringify(body),
      ]);
      await resources.jobs.add(queries, INDEX_JOB, { fileId: objectId });
    },
  );
  return records.find('file', id);
}

/** @throws ServiceError 400 `validation_failed` for an unknown field, or metadata that is not a JSON object */
function fileFields(given: ReadonlyMap<string, string>): Record<string, unknown> {
  const fields: Record<string, unknown> = Object.fromEntries(given);
  const { metadata } = fields;
  if (typeof metadata === 'string') fields.metadata = parsedMetadata(metadata);
  requireStorable(fields);
  return parseVoice(fileFieldsSchema, fields);
}

function parsedMetadata(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ServiceError(400, 'validation_failed', 'metadata: must be a JSON object.');
  }
}

/** The record with an address that works for an hour, for whoever has it. */
async function withAddress({ resources }: VoiceScope, record: VoiceRecord): Promise<VoiceRecord> {
  const url = await signedObjectUrl(resources, BUCKET, String(record.key), URL_SECONDS);
  return url === undefined ? record : { ...record, url };
}
