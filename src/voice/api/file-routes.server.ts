import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { requireStorable } from '../../kernel/http/unstorable-text.ts';
import { signedObjectUrl } from '../../platform/storage/objects/object-signing.server.ts';
import { unlinkDeleted } from '../../platform/storage/storage-sweep.server.ts';
import { discardRest } from '../../platform/storage/uploads/upload-body.server.ts';
import { FORM_OVERHEAD, readFileForm } from '../files/file-form.server.ts';
import { defineIndexing } from '../files/file-index.server.ts';
import { FILES_BUCKET, storeAssistantFile } from '../files/file-storing.server.ts';
import type { VoiceRecord } from '../records/voice-records.server.ts';
import { changeFileSchema, fileFieldsSchema, fileListSchema } from '../records/voice-resources.contract.ts';
import { idOf, parseVoice, type VoiceScope } from '../records/voice-scope.server.ts';

/** How long the address in a record works, seconds. */
const URL_SECONDS = 3600;
const UPLOADS = { name: 'files of assistants', count: 60, seconds: 60 };

/**
 * Mounts files that assistants consult (docs/specification/platform.md §7, docs/contracts/voice.md §3):
 * streamed into a private bucket of the product's object store, and read in the document reader's process.
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

async function takeFile(scope: VoiceScope, request: FastifyRequest): Promise<VoiceRecord> {
  const { resources, records, http } = scope;
  await http.rateLimiter.take(UPLOADS, http.addressOf(request));
  const form = await readFileForm(request.raw);
  const length = Number(request.headers['content-length'] ?? Number.NaN);
  const id = await storeAssistantFile(resources, {
    name: form.fileName,
    source: form.source,
    declared: Number.isSafeInteger(length) ? length : undefined,
    overhead: FORM_OVERHEAD,
    fields: async () => fileFields(await form.fields()),
  });
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

/** The record with an address for its bytes, which works for an hour for everybody who has it. */
async function withAddress({ resources }: VoiceScope, record: VoiceRecord): Promise<VoiceRecord> {
  const url = await signedObjectUrl(resources, FILES_BUCKET, String(record.key), URL_SECONDS);
  return url === undefined ? record : { ...record, url };
}
