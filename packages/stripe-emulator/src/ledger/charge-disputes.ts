import {
  type Change,
  findObject,
  insertObject,
  lockObject,
  type ProviderObject,
  providerId,
  replaceObject,
} from '../provider-store.ts';
import { recordEvent } from './event-record.ts';

const ANSWER_SECONDS = 7 * 24 * 3600;

/** Opens a dispute of a charge, as a bank does: the money is withdrawn until the dispute is won. */
export async function openDispute(
  change: Change,
  chargeId: string,
  given: { amount?: number | undefined; reason?: string | undefined },
): Promise<ProviderObject | undefined> {
  const { queries, now } = change;
  const charge = (await lockObject(queries, 'charge', chargeId))?.data;
  if (charge === undefined || charge.disputed === true) return undefined;
  const dispute: ProviderObject = {
    id: providerId('dp'),
    object: 'dispute',
    amount: given.amount ?? Number(charge.amount),
    balance_transactions: [],
    charge: charge.id,
    created: now,
    currency: charge.currency,
    evidence: {},
    evidence_details: {
      due_by: now + ANSWER_SECONDS,
      has_evidence: false,
      past_due: false,
      submission_count: 0,
    },
    is_charge_refundable: false,
    livemode: false,
    metadata: {},
    payment_intent: charge.payment_intent,
    reason: given.reason ?? 'fraudulent',
    status: 'needs_response',
  };
  await insertObject(queries, dispute);
  await replaceObject(queries, { ...charge, disputed: true });
  await recordEvent(change, 'charge.dispute.created', dispute);
  await recordEvent(change, 'charge.dispute.funds_withdrawn', dispute);
  return dispute;
}

/** Ends a dispute; winning it returns the money. A dispute that has ended stays as it is. */
export async function closeDispute(
  change: Change,
  id: string,
  outcome: 'won' | 'lost',
): Promise<ProviderObject | undefined> {
  const dispute = (await lockObject(change.queries, 'dispute', id))?.data;
  if (dispute === undefined || dispute.status === 'won' || dispute.status === 'lost') return dispute;
  const closed = { ...dispute, status: outcome };
  await replaceObject(change.queries, closed);
  await recordEvent(change, 'charge.dispute.closed', closed);
  if (outcome === 'won') await recordEvent(change, 'charge.dispute.funds_reinstated', closed);
  return closed;
}

/** Refunds all or part of a charge; undefined where less than that is left of it. */
export async function refundCharge(
  change: Change,
  chargeId: string,
  given: {
    amount?: number | undefined;
    reason?: string | undefined;
    metadata?: Record<string, string> | undefined;
  },
): Promise<ProviderObject | undefined> {
  const { queries, now } = change;
  const charge = (await lockObject(queries, 'charge', chargeId))?.data;
  if (charge === undefined) return undefined;
  const left = Number(charge.amount) - Number(charge.amount_refunded);
  const amount = given.amount ?? left;
  if (amount <= 0 || amount > left) return undefined;
  const refund: ProviderObject = {
    id: providerId('re'),
    object: 'refund',
    amount,
    charge: charge.id,
    created: now,
    currency: charge.currency,
    customer: charge.customer,
    metadata: given.metadata ?? {},
    payment_intent: charge.payment_intent,
    reason: given.reason ?? null,
    status: 'succeeded',
  };
  const next = {
    ...charge,
    amount_refunded: Number(charge.amount_refunded) + amount,
    refunded: amount === left,
  };
  await insertObject(queries, refund);
  await replaceObject(queries, next);
  await recordEvent(change, 'refund.created', refund);
  await recordEvent(change, 'charge.refunded', next);
  return refund;
}

/** The charge of a payment; undefined where there is none. */
export async function chargeOfIntent(change: Change, intent: string): Promise<string | undefined> {
  const found = await findObject(change.queries, 'payment_intent', intent);
  return typeof found?.latest_charge === 'string' ? found.latest_charge : undefined;
}
