import { randomUUID } from 'node:crypto';
import { isLoopbackAddress } from '@northline/sip/sip-transport';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { PhoneCall, RunningCall } from '../../calls/call-manager.server.ts';
import type { CallStore } from '../../calls/record/call-store.server.ts';
import type { VoiceRecord } from '../../records/voice-records.server.ts';
import type { PhoneCallRequest } from '../../records/voice-resources.contract.ts';
import type { CampaignCall } from '../campaign-runner.server.ts';
import type { CallingNumber, Route } from './call-dialling.server.ts';
import { followReferral } from './call-referral.server.ts';
import { phoneControls } from './call-transfer.server.ts';
import { wireCall } from './call-wiring.server.ts';
import type { PhoneConnection } from './phone-connection.server.ts';
import type { PhoneParts } from './phone-parts.server.ts';
import { reasonOfStatus } from './sip-endings.server.ts';

type Customer = NonNullable<PhoneCallRequest['customer']>;

/** The answer to a request for several calls, as in the published API. */
export interface CallBatch {
  readonly results: readonly VoiceRecord[];
  readonly errors: readonly { readonly customer: Customer; readonly error: string }[];
}

/** Outgoing telephone calls. */
export interface OutboundCalls {
  /**
   * Calls a customer now, or at the time of `schedulePlan`; several customers are called as capacity allows.
   *
   * @throws ServiceError 400, 403 `destination_not_allowed`, 422 `no_trunk`, `telephone_off`, 429
   */
  start(request: PhoneCallRequest): Promise<VoiceRecord | CallBatch>;
  /**
   * Makes one call of a campaign; its record gets the given id. @throws ServiceError as `start`, 403
   * `do_not_call`
   */
  startOf(call: CampaignCall): Promise<VoiceRecord>;
  /** Begins the scheduled calls that are due, as many as capacity allows. */
  beginScheduled(): Promise<void>;
}

const MOST_AT_ONCE = 20;

/** Opens the outgoing calls. */
export function openOutboundCalls(parts: PhoneParts, store: Pick<CallStore, 'claim'>): OutboundCalls {
  return {
    start: (request) => start(parts, request),
    startOf({ callId, campaignId, campaign, customer, over }) {
      const { assistantId, squadId, assistantOverrides, phoneNumberId } = campaign;
      const request = { assistantId, squadId, assistantOverrides, phoneNumberId };
      return startOne(parts, request, customer, { id: callId, campaignId, over });
    },
    beginScheduled: () => beginScheduled(parts, store),
  };
}

async function start(parts: PhoneParts, request: PhoneCallRequest): Promise<VoiceRecord | CallBatch> {
  const { customer, customers, ...rest } = request;
  refuseUnknown(request);
  if (customer !== undefined) return startOne(parts, rest, customer);
  const results: VoiceRecord[] = [];
  const errors: { customer: Customer; error: string }[] = [];
  const schedulePlan = rest.schedulePlan ?? { earliestAt: new Date().toISOString() };
  for (const one of customers ?? []) {
    try {
      results.push(await startOne(parts, { ...rest, schedulePlan }, one));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      errors.push({ customer: one, error: error.message });
    }
  }
  return { results, errors };
}

/** Refuses, by name, the parts of the published API that are not offered here. */
function refuseUnknown({ customerId, phoneNumber, customer, customers }: PhoneCallRequest): void {
  const wrong = (message: string) => new ServiceError(400, 'validation_failed', message);
  if (customerId !== undefined)
    throw wrong('customerId: there is no list of customers here; give customer with a number or a sipUri.');
  if (phoneNumber !== undefined)
    throw wrong('phoneNumber: numbers are imported first; name the imported one by phoneNumberId.');
  if ((customer === undefined) === (customers === undefined))
    throw wrong('customer: exactly one of customer and customers is needed.');
}

async function startOne(
  parts: PhoneParts,
  request: Omit<PhoneCallRequest, 'customer' | 'customers'>,
  customer: Customer,
  more: { readonly id?: string; readonly campaignId?: string; over?(): void } = {},
): Promise<VoiceRecord> {
  const { schedulePlan, ...rest } = request;
  await parts.doNotCall.requireCallable(customer);
  const from = await callingNumber(parts, rest.phoneNumberId);
  const route = await parts.dialling.route(customer, from);
  const { assistantOverrides, squadOverrides } = customer;
  const body = {
    ...rest,
    ...(assistantOverrides === undefined
      ? {}
      : { assistantOverrides: { ...(rest.assistantOverrides ?? {}), ...assistantOverrides } }),
    ...(squadOverrides === undefined
      ? {}
      : { squadOverrides: { ...(rest.squadOverrides ?? {}), ...squadOverrides } }),
    customer,
    type: 'outboundPhoneCall',
    phoneCallProvider: providerOf(from),
    phoneCallTransport: 'sip',
    ...(more.campaignId === undefined ? {} : { campaignId: more.campaignId }),
  };
  if (schedulePlan !== undefined)
    return (await parts.manager.createPhone({ ...body, schedulePlan, status: 'scheduled' })).record;
  const id = more.id ?? randomUUID();
  const call = await parts.manager.createPhone(body, id);
  try {
    await parts.dialling.reserve(route, id);
  } catch (error) {
    await parts.manager.abandon(id, 'call.in-progress.error-sip-outbound-call-failed-to-connect');
    throw error;
  }
  void begin(parts, call, route, from).then(more.over);
  return call.record;
}

async function callingNumber(parts: PhoneParts, id: unknown): Promise<CallingNumber | undefined> {
  if (typeof id !== 'string') return undefined;
  await parts.records.mustExist('phone-number', [id], 'phoneNumberId');
  const body = await parts.records.body('phone-number', id);
  return { number: String(body.number), body };
}

const providerOf = (from: CallingNumber | undefined): string => {
  const provider = from?.body.provider;
  return provider === 'twilio' || provider === 'vonage' ? provider : 'vapi';
};

/**
 * Carries a call from its creation to its end, and resolves then. Whatever fails, the call ends with one
 * report, and its line is closed.
 */
async function begin(
  parts: PhoneParts,
  call: PhoneCall,
  route: Route,
  from: CallingNumber | undefined,
): Promise<void> {
  const { manager, dialling } = parts;
  const { id: callId, customer } = call.record;
  let opened: PhoneConnection | undefined;
  try {
    const prepared = await dialling.prepare(route);
    const { line } = prepared;
    opened = line;
    const own = { callId, line, from, running: () => running };
    const running: RunningCall = await manager.runPhone(
      call,
      line,
      phoneControls(parts, () => own),
    );
    const near = isLoopbackAddress(prepared.place.address);
    line.onRefer((target) => followReferral(parts, { ...own, near }, target));
    wireCall(line, running, reasonOfStatus);
    line.onRinging(() => void manager.ringing(callId).catch((error: unknown) => parts.log(String(error))));
    dialling.go(route, prepared);
    await line.established;
    const { extension } = (customer ?? {}) as Customer;
    if (extension !== undefined) await line.leg.sendTones(`,${extension}`);
    await running.over;
  } catch (error) {
    parts.log(`a call did not begin: ${String(error)}`);
    await manager
      .abandon(callId, 'call.in-progress.error-sip-outbound-call-failed-to-connect')
      .catch((failure: unknown) => parts.log(String(failure)));
    // For a call that never ran nobody else closes the line.
    opened?.hangUp();
  }
}

async function beginScheduled(parts: PhoneParts, store: Pick<CallStore, 'claim'>): Promise<void> {
  const { resources, manager, records } = parts;
  const free = manager.freeLines();
  if (free <= 0) return;
  const due = await resources.database.many(
    `select id, coalesce((body #>> '{schedulePlan,latestAt}')::timestamptz < now(), false) as late
       from private.voice_records
      where kind = 'call' and body ->> 'status' = 'scheduled'
        and (body #>> '{schedulePlan,earliestAt}')::timestamptz <= now()
      order by created_at limit $1`,
    [Math.min(free, MOST_AT_ONCE)],
  );
  for (const { id, late } of due) {
    if (!(await store.claim(id))) continue;
    const failed = () => manager.abandon(id, 'call.in-progress.error-sip-outbound-call-failed-to-connect');
    if (late) {
      await failed();
      continue;
    }
    try {
      const record = await records.find('call', id);
      await parts.doNotCall.requireCallable(record.customer as Customer);
      const from = await callingNumber(parts, record.phoneNumberId);
      // The rules may have changed since the call was created.
      const route = await parts.dialling.route(record.customer as Customer, from);
      await parts.dialling.reserve(route, id);
      void begin(parts, { record }, route, from);
    } catch (error) {
      parts.log(`a scheduled call did not begin: ${String(error)}`);
      await failed();
    }
  }
}
