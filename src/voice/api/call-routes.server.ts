import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { jsonList } from '../../kernel/http/json-slices.ts';
import { uncheckedSql } from '../../kernel/resources/database/fixed-sql.ts';
import type { CallManager } from '../calls/call-manager.server.ts';
import type { Evidence } from '../calls/record/evidence.server.ts';
import type { RecordingStore } from '../recording/recording-store.server.ts';
import { configuredEngines, settingWarnings, withWarnings } from '../records/setting-warnings.server.ts';
import type { VoiceRecord } from '../records/voice-records.server.ts';
import {
  callListSchema,
  changeCallSchema,
  logListSchema,
  phoneCallSchema,
  type WebCallRequest,
  webCallSchema,
} from '../records/voice-resources.contract.ts';
import { idOf, parseVoice, sendRows, type VoiceScope } from '../records/voice-scope.server.ts';
import { completedCall } from '../telephony/assistant-request.server.ts';
import type { OutboundCalls } from '../telephony/phone/outbound-calls.server.ts';
import type { Monitor } from './monitor-routes.server.ts';
import type { Page } from './result-pages.server.ts';
import { checkPublicCall, type VoiceKey } from './voice-guard.server.ts';

/** Fields that make a call a phone call, at the address that creates both kinds. */
const PHONE_FIELDS = ['customer', 'customerId', 'customers', 'phoneNumber', 'phoneNumberId'];

const evidenceSchema = z.strictObject({ callId: z.uuid().optional() });

/** What the routes of calls use. */
export interface CallParts {
  readonly manager: CallManager;
  readonly evidence: Evidence;
  readonly phone: OutboundCalls;
  readonly recordings: RecordingStore;
  readonly monitor: Monitor;
}

/** Mounts calls and their logs. `keyOf` returns the key of a request. */
export function mountCalls(
  scope: VoiceScope,
  { manager, evidence, phone, recordings, monitor }: CallParts,
  keyOf: (request: object) => VoiceKey | undefined,
): void {
  const { server, http, resources, records, defaultAssistantId } = scope;
  const engines = () => configuredEngines(resources.settings);
  const startWebCall = async (request: FastifyRequest): Promise<object> => {
    const publicKey = keyOf(request) !== 'private';
    const call = publicKey
      ? parseVoice(webCallSchema, request.body)
      : await completedCall(resources, request.body);
    if (publicKey) checkPublicCall(call, defaultAssistantId);
    await subjectsExist(scope, call);
    const made = await manager.create(call, { publicKey, address: http.addressOf(request) });
    return publicKey
      ? made
      : withWarnings(
          monitor.shown(made),
          settingWarnings('call', call, await records.providers(), engines()),
        );
  };
  const startPhoneCall = async (body: unknown): Promise<object> => {
    const call = parseVoice(phoneCallSchema, body);
    await subjectsExist(scope, call);
    const started = await phone.start(call);
    return withWarnings(
      'results' in started ? started : monitor.shown(started as VoiceRecord),
      settingWarnings('phoneCall', call, await records.providers(), engines()),
    );
  };
  server.post('/call/web', async (request, reply) => reply.code(201).send(await startWebCall(request)));
  server.post('/call/phone', async (request, reply) =>
    reply.code(201).send(await startPhoneCall(request.body)),
  );
  server.post('/call', async (request, reply) => {
    const body = (request.body ?? {}) as Record<string, unknown>;
    const isPhone = PHONE_FIELDS.some((field) => Object.hasOwn(body, field));
    return reply.code(201).send(await (isPhone ? startPhoneCall(body) : startWebCall(request)));
  });
  server.get('/call', async (request, reply) => {
    const query = parseVoice(callListSchema, request.query);
    return sendRows(scope, reply, query.limit, async () => jsonList(await records.list('call', query)));
  });
  server.get('/call/:id', async (request) =>
    recordings.withAddresses(monitor.shown(await records.find('call', idOf(request)))),
  );
  server.delete('/call/:id', async (request) => {
    const id = idOf(request);
    if (!(await manager.end(id, 'manually-canceled'))) throw endsElsewhere();
    const removed = await records.remove('call', id);
    await resources.database.transaction((queries) =>
      evidence.add(queries, id, { kind: 'deleted', data: { what: 'call' } }),
    );
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

function endsElsewhere(): ServiceError {
  return new ServiceError(
    409,
    'call_ending',
    'This call goes on in another process, which was asked to end it: delete it again in a few seconds.',
    { headers: { 'retry-after': '10' } },
  );
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
    const values = [
      callId,
      query.createdAtGt,
      query.createdAtLt,
      query.createdAtGe,
      query.createdAtLe,
    ] as const;
    const rows = await database.many(
      uncheckedSql<LogRow>(
        `select level, log, time from private.voice_call_logs where ${condition}
        order by time ${sortOrder}, id ${sortOrder} limit $6 offset $7`,
        'composed',
      ),
      [...values, limit, (page - 1) * limit],
    );
    const { count } = await database.one(
      `select count(*) from private.voice_call_logs where ${condition}`,
      values,
    );
    return {
      results: rows.map((row) => ({ callId, orgId, ...row, time: row.time.toISOString() })),
      metadata: { itemsPerPage: limit, totalItems: Number(count), currentPage: page },
    };
  });
}
