import { z } from 'zod';
import { type AssistantVersion, openAssistantVersions } from '../records/assistant-versions.server.ts';
import { idOf, parseVoice, type VoiceScope } from '../records/voice-scope.server.ts';

const cursor = z
  .string()
  .transform((text) => Number(Buffer.from(text, 'base64').toString('latin1')))
  .refine((version) => Number.isSafeInteger(version) && version > 0, {
    error: 'must be the nextCursor of an earlier answer',
  });
/**
 * The query of GET /assistant/{id}/versions. Versions are never deleted, so `includeDeleted` changes nothing.
 */
export const versionListSchema = z.strictObject({
  cursor: cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(25),
  includeDeleted: z.enum(['true', 'false']).optional(),
});
const numbered = z.object({ id: z.uuid(), version: z.coerce.number().int().min(1).max(2_147_483_647) });

/** Mounts the versions of an assistant and the way back to one, as the published web client requests them. */
export function mountAssistantVersions({ server, records, resources }: VoiceScope): void {
  const versions = openAssistantVersions(resources, records);
  server.get('/assistant/:id/versions', async (request) => {
    const id = idOf(request);
    const { cursor: before, limit } = parseVoice(versionListSchema, request.query);
    await records.find('assistant', id);
    const rows = await versions.list(id, limit + 1, before);
    const results = rows.slice(0, limit);
    const last = rows.length > limit ? results.at(-1) : undefined;
    return {
      results: results.map((row) => shown(id, row)),
      metadata: {
        nextCursor: last === undefined ? null : Buffer.from(String(last.version)).toString('base64'),
        hasNextPage: last !== undefined,
        limit,
      },
    };
  });
  server.get('/assistant/:id/versions/:version', async (request) => {
    const { id, version } = parseVoice(numbered, request.params);
    return shown(id, await versions.find(id, version));
  });
  server.post('/assistant/:id/restore/:version', async (request, reply) => {
    const { id, version } = parseVoice(numbered, request.params);
    return reply.code(201).send(await versions.restore(id, version));
  });
}

const shown = (assistantId: string, { version, body, at }: AssistantVersion) => ({
  ...body,
  assistantId,
  version: String(version),
  createdAt: at.toISOString(),
});
