import { z } from 'zod';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { jsonList } from '../../kernel/http/json-slices.ts';
import type { BackgroundSounds } from '../calls/background/background-sound.server.ts';
import { SoundRefused } from '../calls/background/fetched-sound.server.ts';
import type { FirstSounds } from '../calls/first-sound.server.ts';
import { filesOfTool, requireAssistantParts } from '../records/assistant-parts.server.ts';
import type { SettingPart } from '../records/setting-effects.contract.ts';
import {
  configuredEngines,
  credentialWarnings,
  settingWarnings,
  withWarnings,
} from '../records/setting-warnings.server.ts';
import { ASSISTANT_DEFAULTS, assistantSchema, squadSchema } from '../records/voice-assistant.contract.ts';
import { jsonObject } from '../records/voice-fields.contract.ts';
import type { RecordKind, VoiceRecord } from '../records/voice-records.server.ts';
import { credentialFieldsSchema, credentialSchema, listSchema } from '../records/voice-resources.contract.ts';
import { idOf, parseVoice, sendRows, type VoiceScope } from '../records/voice-scope.server.ts';
import { toolSchema } from '../records/voice-tool.contract.ts';

type Body = Record<string, unknown>;

interface Kind {
  readonly kind: RecordKind;
  /**
   * The part of the settings table that covers its fields; a credential's fields all belong to the provider.
   */
  readonly part?: SettingPart;
  readonly schema: z.ZodType<Body>;
  /** The schema for the body after a PATCH, where it differs: a credential's keys are not checked again. */
  readonly changed?: z.ZodType<Body>;
  readonly defaults: Body;
  /** The verbs that change it, by docs/specification/platform.md §7 and the server SDK. */
  readonly changes: readonly ('PATCH' | 'PUT')[];
  /** Checks that everything that the body refers to exists. */
  references(scope: VoiceScope, body: Body): Promise<void>;
  /** Checks the fields that the request itself brings; stored fields are not checked again. */
  brings?(sounds: BackgroundSounds, given: Body): Promise<void>;
}

const KINDS: readonly Kind[] = [
  {
    kind: 'assistant',
    part: 'assistant',
    schema: assistantSchema,
    defaults: ASSISTANT_DEFAULTS,
    changes: ['PATCH', 'PUT'],
    references: ({ records }, assistant) => requireAssistantParts(records, assistant),
    brings: requireSound,
  },
  {
    kind: 'squad',
    part: 'squad',
    schema: squadSchema,
    defaults: {},
    changes: ['PATCH'],
    references: ({ records }, { members }) =>
      records.mustExist(
        'assistant',
        (members as { assistantId?: string | null }[]).map(({ assistantId }) => assistantId),
        'members.assistantId',
      ),
  },
  {
    kind: 'tool',
    part: 'tool',
    schema: toolSchema,
    defaults: {},
    changes: ['PATCH'],
    references: ({ records }, tool) => records.mustExist('file', filesOfTool(tool), 'knowledgeBases.fileIds'),
  },
  {
    kind: 'credential',
    schema: credentialSchema,
    changed: credentialFieldsSchema,
    defaults: {},
    changes: ['PUT', 'PATCH'],
    references: async () => {},
  },
];

/** Mounts assistants, squads, tools and credentials: create, list, read, change and delete. */
export function mountRecords(scope: VoiceScope, sounds: BackgroundSounds, first: FirstSounds): void {
  for (const kind of KINDS) mountKind(scope, kind, { sounds, first });
  mountSoundCheck(scope, sounds);
}

function mountKind(
  scope: VoiceScope,
  described: Kind,
  { sounds, first }: { readonly sounds: BackgroundSounds; readonly first: FirstSounds },
): void {
  const { kind, part, schema, changed = schema, defaults, changes, references, brings } = described;
  const { server, records, resources } = scope;
  const answer = async (record: VoiceRecord, body: Body): Promise<object> => {
    if (part === undefined) return withWarnings(record, credentialWarnings(body));
    const known = await records.providers();
    const warnings = settingWarnings(part, body, known, configuredEngines(resources.settings));
    const silent = part === 'assistant' ? await first.warning(String(body.firstMessage ?? '')) : undefined;
    return withWarnings(record, silent === undefined ? warnings : [...warnings, silent]);
  };
  server.post(`/${kind}`, async (request, reply) => {
    const body = parseVoice(schema, request.body);
    await references(scope, body);
    await brings?.(sounds, body);
    return reply.code(201).send(await answer(await records.create(kind, { ...defaults, ...body }), body));
  });
  server.get(`/${kind}`, async (request, reply) => {
    const query = parseVoice(listSchema, request.query);
    return sendRows(scope, reply, query.limit, async () => jsonList(await records.list(kind, query)));
  });
  server.get(`/${kind}/:id`, async (request) => records.find(kind, idOf(request)));
  server.delete(`/${kind}/:id`, async (request) => {
    const id = idOf(request);
    if (id === scope.defaultAssistantId) {
      throw new ServiceError(409, 'default_assistant', "The site's own assistant is changed, not deleted.");
    }
    return records.remove(kind, id);
  });
  for (const method of changes) {
    server.route({
      method,
      url: `/${kind}/:id`,
      handler: async (request) => {
        const id = idOf(request);
        const given = parseVoice(jsonObject, request.body);
        const next = (present: Body): Body =>
          method === 'PUT'
            ? { ...defaults, ...parseVoice(schema, given) }
            : parseVoice(changed, mergeChanges(present, given));
        if (kind === 'credential' && method === 'PATCH') requireKeyWithAddress(given);
        await references(scope, next(await records.body(kind, id)));
        await brings?.(sounds, given);
        let body: Body = {};
        const record = await records.change(kind, id, (present) => {
          body = next(present);
          return { body, replaced: method === 'PUT' ? 'everything' : Object.keys(given) };
        });
        return answer(record, body);
      },
    });
  }
}

const SOUND_CHECKS = { name: 'background sounds', count: 30, seconds: 60 };
/** The body of POST /assistant/background-sound/validate. */
export const soundCheckSchema = z.object({ url: z.string().min(1).max(2000) });

/** @throws ServiceError 400 `validation_failed` where the address does not serve a background sound */
async function requireSound(sounds: BackgroundSounds, { backgroundSound: sound }: Body): Promise<void> {
  if (typeof sound !== 'string' || sound === 'off' || sound === 'office') return;
  try {
    await sounds.check(sound);
  } catch (error) {
    if (!(error instanceof SoundRefused)) throw error;
    throw new ServiceError(400, 'validation_failed', `backgroundSound: ${error.message}`);
  }
}

/**
 * Mounts `POST /assistant/background-sound/validate`, as the published server SDK calls it; `message` is an
 * addition of ours.
 */
function mountSoundCheck({ server, http }: VoiceScope, sounds: BackgroundSounds): void {
  server.post('/assistant/background-sound/validate', async (request) => {
    await http.rateLimiter.take(SOUND_CHECKS, http.addressOf(request));
    const { url } = parseVoice(soundCheckSchema, request.body);
    if (!URL.canParse(url))
      return { valid: false, reason: 'invalid-url', message: 'This is no address of a file.' };
    try {
      await sounds.check(url);
      return { valid: true };
    } catch (error) {
      if (!(error instanceof SoundRefused)) throw error;
      const { fault: reason, status, contentType, message } = error;
      return { valid: false, reason, status, contentType, message };
    }
  });
}

/**
 * A stored key belongs to the address that it was stored for: a request with another address has to bring the
 * key.
 *
 * @throws ServiceError 400 `validation_failed`
 */
function requireKeyWithAddress(given: Body): void {
  if (given.url !== undefined && given.apiKey === undefined)
    throw new ServiceError(400, 'validation_failed', 'apiKey: is needed again with another url');
}

/** Replaces the present fields by those of `given`; null removes a field. */
export function mergeChanges(present: Body, given: Body): Body {
  return Object.fromEntries(Object.entries({ ...present, ...given }).filter(([, value]) => value !== null));
}
