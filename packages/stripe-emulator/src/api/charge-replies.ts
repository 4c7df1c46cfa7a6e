import { z } from 'zod';
import { chargeOfIntent, closeDispute, openDispute, refundCharge } from '../ledger/charge-disputes.ts';
import { recordEvent } from '../ledger/event-record.ts';
import { findObject, lockObject, replaceObject } from '../provider-store.ts';
import {
  type ApiRoute,
  expand,
  flag,
  found,
  invalid,
  metadata,
  readable,
  route,
  text,
  whole,
} from '../route-descriptions.ts';

/** The texts of evidence that decide a dispute (Stripe's own). */
const WINNING = 'winning_evidence';
const LOSING = 'losing_evidence';

/** Charges, refunds and disputes. */
export const CHARGE_ROUTES: readonly ApiRoute[] = [
  ...readable('/v1/charges', 'charge', { customer: text.optional(), payment_intent: text.optional() }),
  ...readable('/v1/payment_intents', 'payment_intent', { customer: text.optional() }),
  ...readable('/v1/refunds', 'refund', { charge: text.optional(), payment_intent: text.optional() }),
  ...readable('/v1/disputes', 'dispute', { charge: text.optional(), payment_intent: text.optional() }),
  route(
    'POST',
    '/v1/refunds',
    z.strictObject({
      charge: text.optional(),
      payment_intent: text.optional(),
      amount: whole.optional(),
      reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer']).optional(),
      metadata,
      expand,
    }),
    async ({ change, given }) => {
      const id = given.charge ?? (await chargeOfIntent(change, given.payment_intent ?? '')) ?? '';
      found(await findObject(change.queries, 'charge', id), 'charge', id);
      const refund = await refundCharge(change, id, given);
      if (refund === undefined)
        throw invalid('Refund amount is greater than unrefunded amount on charge.', 'amount');
      return refund;
    },
  ),
  route(
    'POST',
    '/v1/disputes/:id',
    z.strictObject({
      evidence: z.record(z.string(), text).optional(),
      submit: flag.optional(),
      metadata,
      expand,
    }),
    async ({ change, id, given }) => {
      const { data } = found(await lockObject(change.queries, 'dispute', id), 'dispute', id);
      const words = given.evidence?.uncategorized_text ?? '';
      const next = { ...data, evidence: { ...(data.evidence as object), ...given.evidence } };
      await replaceObject(change.queries, next);
      if (given.submit !== false && (words === WINNING || words === LOSING)) {
        return found(await closeDispute(change, id, words === WINNING ? 'won' : 'lost'), 'dispute', id);
      }
      await recordEvent(change, 'charge.dispute.updated', next);
      return next;
    },
  ),
  route('POST', '/v1/disputes/:id/close', z.strictObject({ expand }), async ({ change, id }) =>
    found(await closeDispute(change, id, 'lost'), 'dispute', id),
  ),
  // Not part of Stripe, where disputes come from the card's bank.
  route(
    'POST',
    '/v1/test_helpers/disputes',
    z.strictObject({ charge: text, amount: whole.optional(), reason: text.optional() }),
    async ({ change, given }) => {
      found(await findObject(change.queries, 'charge', given.charge), 'charge', given.charge);
      const dispute = await openDispute(change, given.charge, given);
      if (dispute === undefined) throw invalid('The charge is disputed already.', 'charge');
      return dispute;
    },
  ),
];
