import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ServiceError } from '../../contract/service-error.ts';
import type { Evidence } from './conversation/keep-evidence.server.ts';
import type { CallDesk } from './conversation/take-calls.server.ts';
import { checkPublicCall, type VoiceKey } from './guard-voice.server.ts';
import { completedCall } from './request-assistant.server.ts';
import type { Page } from './serve-pages.server.ts';
import type { VoiceRecord } from './voice-records.server.ts';
import {
  callListSchema,
  changeCallSchema,
  logListSchema,
  phoneCallSchema,
  type WebCallRequest,
  webCallSchema,
} from './voice-resources.contract.ts';
import { idOf, parseVoice, type VoiceScope } from './voice-scope.server.ts';

/** What tells a phone call from a web call where both are made at one address. */
const PHONE_FIELDS = ['customer', 'customerId', 'customers', 'phoneNumber', 'phoneNumberId'];

const evidenceSchema = z.strictObject({ callId: z.uuid().optional() });

/** Mounts calls and their logs. `keyOf` tells which key a request has shown. */
export function mountCalls(
  scope: VoiceScope,
  desk: CallDesk,
  evidence: Evidence,
  keyOf: (request: object) => VoiceKey | undefined,
): void {
  const { server, door, resources, records, defaultAssistantId } = scope;
  const startWebCall = async (request: FastifyRequest): Promise<VoiceRecord> => {
    const publicKey = keyOf(request) !== 'private';
    const call = publicKey
      ? parseVoice(webCallSchema, request.body)
      : await completedCall(resources, request.body);
    if (publicKey) checkPublicCall(call, defaultAssistantId);
    await subjectsExist(scope, call);
    return desk.create(call, { publicKey, address: door.addressOf(request) });
  };
  const startPhoneCall = async (body: unknown): Promise<never> => {
    await subjectsExist(scope, parseVoice(phoneCallSchema, body));
    throw new ServiceError(
      422,
      'phone_calls_unavailable',
      'Calls over the telephone network are not offered yet; POST /call/web starts a call in the browser.',
    );
  };
  server.post('/call/web', async (request, reply) => reply.code(201).send(await startWebCall(request)));
  server.post('/call/phone', async (request) => startPhoneCall(request.body));
  server.post('/call', async (request, reply) => {
    const body = (request.body ?? {}) as Record<string, unknown>;
    return PHONE_FIELDS.some((field) => Object.hasOwn(body, field))
      ? startPhoneCall(body)
      : reply.code(201).send(await startWebCall(request));
  });
  server.get('/call', async (request) => records.list('call', parseVoice(callListSchema, request.query)));
  server.get('/call/:id', async (request) => records.find('call', idOf(request)));
  server.delete('/call/:id', async (request) => {
    const id = idOf(request);
    await desk.end(id, 'manually-canceled');
    const removed = await records.remove('call', id);
    await resources.database.transaction((queries) => evidence.add(queries, id, 'deleted', { what: 'call' }));
    return removed;
  });
  server.get('/evidence', async (request) => {
    const { callId } = parseVoice(evidenceSchema, request.query);
    return evidence.verify(callId);
  });
  server.patch('/call/:id', async (request) => {
    const given = parseVoice(changeCallSchema, request.body);
    return records.change('call', idOf(request), (present) => ({
      body: { ...present, ...given },
      replaced: [],
    }));
  });
  mountLogs(scope);
}

async function subjectsExist({ records }: VoiceScope, call: Partial<WebCallRequest>): Promise<void> {
  await records.mustExist('assistant', [call.assistantId], 'assistantId');
  await records.mustExist('squad', [call.squadId], 'squadId');
}

interface LogRow {
  readonly level: string;
  readonly log: string;
  readonly time: Date;
}

function mountLogs({ server, records, resources, orgId }: VoiceScope): void {
  const { database } = resources;
  server.get('/log', async (request): Promise<Page<object>> => {
    const query = parseVoice(logListSchema, request.query);
    const { callId, limit, page, sortOrder } = query;
    await records.find('call', callId);
    const condition = `call_id = $1
      and ($2::timestamptz is null or time > $2) and ($3::timestamptz is null or time < $3)
      and ($4::timestamptz is null or time >= $4) and ($5::timestamptz is null or time <= $5)`;
    const values = [callId, query.createdAtGt, query.createdAtLt, query.createdAtGe, query.createdAtLe].map(
      (value) => value ?? null,
    );
    const rows = await database.many<LogRow>(
      `select level, log, time from private.voice_call_logs where ${condition}
        order by time ${sortOrder}, id ${sortOrder} limit $6 offset $7`,
      [...values, limit, (page - 1) * limit],
    );
    const { count } = await database.one<{ count: string }>(
      `select count(*) from private.voice_call_logs where ${condition}`,
      values,
    );
    return {
      results: rows.map((row) => ({ callId, orgId, ...row, time: row.time.toISOString() })),
      metadata: { itemsPerPage: limit, totalItems: Number(count), currentPage: page },
    };
  });
}
