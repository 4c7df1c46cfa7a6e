const CHECKOUT_EVENTS = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
] as const;

/** Events whose object names a charge; the provider tells its customer. */
const CHARGE_EVENTS = [
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
  'refund.created',
  'refund.updated',
  'refund.failed',
] as const;

/** Events whose object is the customer, or names it. */
const CUSTOMER_EVENTS = [
  'customer.updated',
  'customer.deleted',
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'customer.subscription.paused',
  'customer.subscription.resumed',
  'customer.subscription.trial_will_end',
  'customer.subscription.pending_update_applied',
  'customer.subscription.pending_update_expired',
  'subscription_schedule.updated',
  'subscription_schedule.released',
  'subscription_schedule.canceled',
  'invoice.finalized',
  'invoice.paid',
  'invoice.payment_failed',
  'invoice.payment_action_required',
  'invoice.voided',
  'invoice.marked_uncollectible',
  'charge.refunded',
  'payment_method.automatically_updated',
] as const;

/** Every event that billing processes; configure the webhook endpoint at Stripe to send these. */
export const HANDLED_EVENTS: ReadonlySet<string> = new Set([
  ...CHECKOUT_EVENTS,
  ...CHARGE_EVENTS,
  ...CUSTOMER_EVENTS,
]);

/** What an event is about: one of these is set. */
export interface EventSubject {
  readonly session: string | null;
  readonly customer: string | null;
  readonly charge: string | null;
}

/** Reads only ids, because the rest is fetched; undefined for an event that billing does not process. */
export function subjectOf(type: string, object: Record<string, unknown>): EventSubject | undefined {
  if (!HANDLED_EVENTS.has(type)) return undefined;
  const idOf = (value: unknown): string | null => {
    const id = typeof value === 'object' && value !== null ? (value as { id?: unknown }).id : value;
    return typeof id === 'string' && id !== '' ? id : null;
  };
  const isCheckout = (CHECKOUT_EVENTS as readonly string[]).includes(type);
  const session = isCheckout ? idOf(object.id) : null;
  const itself = type === 'customer.updated' || type === 'customer.deleted';
  const customer = isCheckout ? null : idOf(itself ? object.id : object.customer);
  const charge = customer === null && !isCheckout ? idOf(object.charge) : null;
  return session === null && customer === null && charge === null ? undefined : { session, customer, charge };
}
