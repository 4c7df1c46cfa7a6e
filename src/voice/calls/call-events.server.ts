import type { Queries } from '../../kernel/resources/database/database.ts';
import type { OutboxEvent, OutboxMessage } from '../../kernel/resources/outbound-http/outbox.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import type { CallAssistant } from '../engines/engines.server.ts';
import {
  callHeader,
  callServer,
  type EventServer,
  messageContext,
  serverHeaders,
  signingSecret,
} from '../records/event-server.server.ts';
import type { VoiceRecord, VoiceRecords } from '../records/voice-records.server.ts';
import { assistantOf, type CallNumber, numberOf } from './call-setup.server.ts';

/** Durable events of a call for the server of its assistant: signed, and repeated until they are accepted. */
const EVENTS = {
  rung: { kind: 'voice.status-update.ringing', message: 'status-update' },
  began: { kind: 'voice.status-update.in-progress', message: 'status-update' },
  ended: { kind: 'voice.status-update.ended', message: 'status-update' },
  report: { kind: 'voice.end-of-call-report', message: 'end-of-call-report' },
} as const;
type EventName = keyof typeof EVENTS;

/** Announces the events of calls. */
export interface CallEvents {
  /**
   * Announces events in the transaction of the change; nothing where the assistant names no server for them.
   */
  announce(queries: Queries, callId: string, ...names: EventName[]): Promise<void>;
}

const LONGEST_WAIT_MS = 20_000;

/**
 * Defines the events of calls in the outbox (docs/contracts/voice.md §3: "To serverUrl"); before
 * `jobs.start`.
 *
 * @param present makes a call's record as it is sent, with the addresses that work for a limited time
 */
export function defineCallEvents(
  resources: Pick<Resources, 'outbox' | 'outbound' | 'keys' | 'settings'>,
  records: VoiceRecords,
  present: (call: VoiceRecord) => Promise<VoiceRecord>,
): CallEvents {
  const { outbox, outbound } = resources;

  async function compose(event: OutboxEvent, name: EventName): Promise<OutboxMessage | undefined> {
    const found = await callWithServer(resources, records, event.subjectId);
    if (found === undefined) return undefined;
    const { call, assistant, number, server } = found;
    const { webCallUrl: _room, byPublicKey: _key, ...shown } = await present(call);
    const context = messageContext(shown, assistant, number);
    return {
      send: (request) => outbound.request({ ...request, url: server.url, totalMs: LONGEST_WAIT_MS }),
      // The assistant's own secret signs; it is also sent as it is, for servers of the published API.
      headers: { ...serverHeaders(server), ...callHeader(context) },
      secrets: [signingSecret(resources, server)],
      body: { message: { ...messageOf(name, shown, event), ...context } },
    };
  }

  for (const name of Object.keys(EVENTS) as EventName[])
    outbox.define(EVENTS[name].kind, { compose: (event) => compose(event, name), settled: async () => {} });

  return {
    async announce(queries, callId, ...names) {
      const found = await callWithServer(resources, records, callId);
      if (found === undefined) return;
      const wanted = found.assistant.serverMessages;
      for (const name of names) {
        const { kind, message } = EVENTS[name];
        if (wanted === undefined || wanted.includes(message)) await outbox.add(queries, kind, callId);
      }
    },
  };
}

/** A call, and the server that is told of it. */
interface ToldCall {
  readonly call: VoiceRecord;
  readonly assistant: CallAssistant;
  readonly number: CallNumber | undefined;
  readonly server: EventServer;
}

async function callWithServer(
  resources: Pick<Resources, 'settings'>,
  records: VoiceRecords,
  callId: string,
): Promise<ToldCall | undefined> {
  try {
    const call = await records.find('call', callId);
    const assistant = await assistantOf(records, await records.whole('call', callId));
    const number = await numberOf(records, call);
    const server = callServer(resources, assistant, number);
    return server === undefined ? undefined : { call, assistant, number, server };
  } catch (error) {
    // The call or its assistant was deleted meanwhile, so there is no server to notify.
    if ((error as { status?: number }).status === 404) return undefined;
    throw error;
  }
}

function messageOf(name: EventName, call: Readonly<Record<string, unknown>>, event: OutboxEvent): object {
  const common = { timestamp: event.createdAt.getTime(), type: EVENTS[name].message };
  if (name === 'rung') return { ...common, status: 'ringing' };
  if (name === 'began') return { ...common, status: 'in-progress' };
  const { endedReason, artifact } = call;
  if (name === 'ended') return { ...common, status: 'ended', endedReason, artifact };
  const { startedAt, endedAt, cost, costBreakdown, costs, transcript, messages, analysis } = call;
  const { recordingUrl, stereoRecordingUrl } = call;
  const report = {
    ...{ endedReason, startedAt, endedAt, ...durationsOf(startedAt, endedAt) },
    ...{ cost, costBreakdown, costs },
    ...{ transcript, messages, analysis, artifact, recordingUrl, stereoRecordingUrl },
  };
  return { ...common, ...report, summary: (analysis as { summary?: string } | undefined)?.summary };
}

/**
 * How long a call took, in the three units of the published API's reports; empty for a call that nobody
 * joined.
 */
function durationsOf(startedAt: unknown, endedAt: unknown): object {
  if (typeof startedAt !== 'string' || typeof endedAt !== 'string') return {};
  const ms = Date.parse(endedAt) - Date.parse(startedAt);
  return { durationMs: ms, durationSeconds: ms / 1000, durationMinutes: Math.round(ms / 600) / 100 };
}
