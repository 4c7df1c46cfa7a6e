/**
 * The calls of the Billing tab. All are POST under `/functions/v1/` with a user's access token as bearer and
 * a JSON body; failures are `{error, code}` with a status other than 2xx. Money is in the smallest unit
 * of the currency beside it, also where a name says pence (decision 0800); times are ISO 8601, except Stripe's `_date` fields (epoch seconds).
 *
 * A user with plans of both lines has two subscriptions: the top-level fields describe the first (documents),
 * `others` has the rest, and every call takes the `subscription_id` that it is about.
 */

export const BILLING_FUNCTIONS = {
  overview: '/functions/v1/billing-overview',
  preview: '/functions/v1/preview-plan-change',
  change: '/functions/v1/change-plan',
  cancel: '/functions/v1/cancel-subscription',
  resume: '/functions/v1/resume-subscription',
  /** GET with `?invoice_id=`: application/pdf as an attachment. */
  invoice: '/functions/v1/download-invoice',
  portal: '/functions/v1/open-billing-portal',
} as const;

export type InvoiceStatus = 'draft' | 'open' | 'paid' | 'void' | 'uncollectible';

export interface BilledPlan {
  readonly price_id: string;
  readonly name: string;
  readonly line: 'documents' | 'courses';
  /** ISO 4217; that of all amounts of a subscription to this plan. */
  readonly currency: string;
  readonly amount_pence: number;
}

export interface BilledSubscription {
  readonly plan: BilledPlan;
  readonly subscription: {
    readonly id: string;
    /** The provider's status: active, trialing, past_due, unpaid, incomplete, canceled … */
    readonly status: string;
    readonly current_period_start: string | null;
    readonly current_period_end: string | null;
    readonly cancel_at_period_end: boolean;
  };
  /** Null when nothing more will be charged. For past_due: the amount due, and when it is charged again. */
  readonly next_payment: { readonly date: string; readonly amount_pence: number } | null;
  readonly payment_method: { readonly brand: string; readonly last4: string } | null;
  readonly usage: BilledUsage;
  readonly can: BillingActions;
  /** A change that waits for the end of the period (a downgrade). */
  readonly pending_change: { readonly plan: BilledPlan; readonly date: string } | null;
}

export interface BilledUsage {
  /** Documents, or course uploads, of the current period. */
  readonly used: number;
  /** Credits that the plan gives a period. */
  readonly included: number;
  /** Of a document plan, the credits that can be spent now, over all plans; of a course plan, its uploads left. */
  readonly left: number;
  readonly resets_at: string | null;
  /** When the remaining credits will be used up at this period's pace; null when not before the reset. */
  readonly pace_runs_out_at: string | null;
}

export interface BillingActions {
  /** Price ids of changes that take effect at once; the difference is charged for the rest of the period. */
  readonly upgrade: readonly string[];
  /** Price ids of changes that take effect at the end of the period. */
  readonly downgrade: readonly string[];
  readonly cancel: boolean;
  /** Undoes a cancellation, or a pending downgrade, that waits for the end of the period. */
  readonly resume: boolean;
  readonly change_card: boolean;
}

export interface BilledInvoice {
  readonly id: string;
  readonly number: string | null;
  readonly date: string;
  readonly currency: string;
  /** The total. */
  readonly amount_pence: number;
  /** The refunded part of it. */
  readonly refunded_pence: number;
  /** The VAT in it; null when VAT is not calculated. */
  readonly vat_pence: number | null;
  /** True when the customer accounts for the VAT. */
  readonly reverse_charge: boolean;
  readonly status: InvoiceStatus;
  /** Path of our own function that streams it (needs the bearer); null while it is a draft. */
  readonly pdf_url: string | null;
}

/**
 * POST billing-overview `{}`. `plan` and `subscription` are null for a user who never subscribed; ended
 * subscriptions are shown until another one is bought.
 */
export interface BillingOverview extends Omit<BilledSubscription, 'plan' | 'subscription'> {
  readonly plan: BilledPlan | null;
  readonly subscription: BilledSubscription['subscription'] | null;
  readonly others: readonly BilledSubscription[];
  /** Newest first, at most 100. */
  readonly invoices: readonly BilledInvoice[];
}

/** POST preview-plan-change. Errors: 404 no_subscription, 400 same_plan | other_line | other_currency | unknown_price. */
export interface PreviewPlanChangeRequest {
  readonly price_id: string;
  readonly subscription_id?: string;
}

export interface PlanChangePreview {
  readonly direction: 'upgrade' | 'downgrade';
  readonly currency: string;
  /** 0 for a downgrade. */
  readonly amount_due_now_pence: number;
  /** The price of each later month. */
  readonly next_amount_pence: number;
  readonly next_date: string;
  readonly lines: readonly { readonly description: string; readonly amount_pence: number }[];
  /** To be sent to change-plan, so that exactly the previewed amount is charged. Epoch seconds. */
  readonly proration_date: number;
}

/**
 * POST change-plan; replies with the new BillingOverview. Errors: as preview, and 402 `card_declined`, 402
 * `authentication_required` (finish at the portal, flow `subscription_update_confirm`), 409 `past_due` while
 * a payment is due, 409 `preview_expired`.
 */
export interface ChangePlanRequest {
  readonly price_id: string;
  readonly subscription_id?: string;
  readonly proration_date: number;
}

/**
 * POST cancel-subscription (at the period's end) and resume-subscription; both reply with the new
 * BillingOverview.
 */
export interface SubscriptionRequest {
  readonly subscription_id?: string;
}

/** POST open-billing-portal; replies with `{url}`. 404 `no_customer` for a user who never bought anything. */
export interface OpenBillingPortalRequest {
  /** On our own origin. */
  readonly return_url: string;
  readonly flow?:
    | 'payment_method_update'
    | 'subscription_cancel'
    | 'subscription_update'
    | 'subscription_update_confirm';
  readonly subscription_id?: string;
  /** Only for subscription_update_confirm. */
  readonly price_id?: string;
}
