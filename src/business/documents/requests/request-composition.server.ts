import { formatBytes } from '../../../kernel/contract/formats.ts';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { DEFAULT_STORAGE_MB, type Plan } from '../../../kernel/contract/plans.ts';
import { SERVICES } from '../../../kernel/contract/routes.ts';
import { requestOwnServer } from '../../../kernel/resources/outbound-http/outbound-http.ts';
import type { OutboxEvent, OutboxMessage } from '../../../kernel/resources/outbound-http/outbox.ts';
import {
  type AnalysisContext,
  callbackToken,
  DOCUMENT_URL_SECONDS,
  embeddedSecret,
  settingSecrets,
} from './analysis-context.server.ts';
import { failAnalysis, markSent } from './analysis-outcome.server.ts';
import { applyAnswer, parseAnswer } from './answer-application.server.ts';
import { EMBEDDED_PATH } from './embedded-analyser.server.ts';

declare module '../../../kernel/resources/database/json-columns.ts' {
  interface JsonColumns {
    'private.analyses.context': RequestFacts['context'];
  }
}

/** The event that asks an analyser to read a document (docs/contracts/documents.md §7.1). */
export const REQUEST_EVENT = 'document.analysis.requested';

const SOURCE = 'dashboard';
const MB = 1024 * 1024;
/** Characters of an automation's reply that the owner of the document sees. */
const SHOWN_OF_REPLY = 300;

interface RequestFacts {
  readonly analysis_id: string;
  readonly target: 'embedded' | 'external';
  readonly deadline_at: Date;
  readonly context: { requestId?: string; userAgent?: string; referrer?: string };
  readonly user_id: string;
  readonly email: string | null;
  readonly phone: string | null;
  readonly metadata: Record<string, unknown> | null;
  readonly customer_id: string | null;
  readonly credits: number | null;
  readonly subscription: Record<string, unknown> | null;
  /** Name of a plan that an operator gave (docs/specification/site.md §10). */
  readonly plan_override: string | null;
  readonly file: Record<string, unknown> & { file_path: string; file_name: string; file_size: string };
  readonly files: string;
  readonly used: string;
}

/** Delivers analysis requests to the automation in the settings, or to the built-in analyser. */
export function defineAnalysisRequests(context: AnalysisContext): void {
  context.outbox.define(REQUEST_EVENT, {
    compose: (event) => compose(context, event),
    async settled(queries, event, outcome) {
      const id = event.subjectId;
      if (!outcome.accepted) {
        const reason = MESSAGES.analysis.requestFailed(outcome.status, ownersWords(outcome));
        await failAnalysis(queries, id, { code: 'request_failed', sentence: reason });
        return;
      }
      await markSent(queries, id);
      // A synchronous engine answers the request itself, with the body of a call-back
      // (docs/contracts/documents.md §7.2).
      const answer = parseAnswer(outcome.body);
      if (answer.ok) await applyAnswer(context, queries, id, { answer: answer.answer, body: outcome.body });
    },
  });
}

/**
 * The body of docs/specification/site.md §8 for the document's owner: the answer of the operator's automation, shortened.
 * Without an answer it is a fixed sentence, as our own reason could name an address in the operator's network.
 */
function ownersWords({ status, body }: { status: number; body: string }): string {
  return status === 0 ? 'The automation could not be reached.' : body.slice(0, SHOWN_OF_REPLY);
}

async function compose(context: AnalysisContext, event: OutboxEvent): Promise<OutboxMessage | undefined> {
  const { resources, outbound } = context;
  const facts = await gather(context, event.subjectId);
  if (facts === undefined) return undefined;
  const embedded = facts.target === 'embedded';
  const origin = embedded ? await context.ownOrigin() : resources.siteUrl;
  const signed = await context.documents.signedPath(facts.file.file_path, DOCUMENT_URL_SECONDS);
  if (signed === undefined) {
    // The bytes were removed meanwhile: if the row is still there, the analysis fails at once.
    const reason = { code: 'no_file_url', sentence: MESSAGES.analysis.noFileUrl };
    await resources.database.transaction((queries) => failAnalysis(queries, facts.analysis_id, reason));
    return undefined;
  }
  const fileUrl = origin + signed;
  const { settings, site } = resources;
  const plan = site.plans.find(String(facts.subscription?.price_id ?? ''));
  const secrets = embedded ? [embeddedSecret(resources)] : settingSecrets(resources);
  return {
    ...(secrets === undefined ? {} : { secrets }),
    headers: {
      'x-request-source': SOURCE,
      'x-user-id': facts.user_id,
      'x-file-id': String(facts.file.id),
      'user-agent': 'Northline/1',
    },
    body: {
      ...payload({ ...facts, plan }, event, fileUrl, settings.ANALYSIS_PAYLOAD),
      event: REQUEST_EVENT,
      deliveryId: event.id,
      analysisId: facts.analysis_id,
      callback: {
        url: `${origin}${SERVICES.analysisWebhook}/${facts.analysis_id}`,
        expiresAt: facts.deadline_at.toISOString(),
        token: callbackToken(resources, facts.analysis_id),
      },
      options: { report: 'report/1' },
    },
    send: (request) =>
      embedded
        ? requestOwnServer(origin, EMBEDDED_PATH, request)
        : outbound.request({ ...request, url: settings.ANALYSIS_WEBHOOK_URL }),
  };
}

/**
 * The body of docs/specification/site.md §7; `minimal` leaves the personal fields out (docs/specification/site.md §10).
 */
function payload(facts: PlanFacts, event: OutboxEvent, url: string, profile: 'minimal' | 'full'): object {
  const { context } = facts;
  const full = profile === 'full';
  return {
    user: { id: facts.user_id, ...(full ? personalFields(facts) : {}) },
    subscription: subscriptionFields(facts, full),
    file: fileFields(facts.file, url),
    timestamp: event.createdAt.toISOString(),
    source: SOURCE,
    environment: process.env.NODE_ENV === 'development' ? 'development' : 'production',
    totals: totalFields(facts),
    requestId: context.requestId ?? event.id,
    userAgent: context.userAgent ?? '',
    referrer: context.referrer ?? '',
  };
}

/** With the plan of the subscription, if we know it. */
type PlanFacts = RequestFacts & { readonly plan: Plan | undefined };

function personalFields({ email, metadata, phone }: RequestFacts): object {
  return {
    email,
    name: metadata?.full_name ?? null,
    phone: metadata?.phone ?? phone,
    metadata: metadata ?? {},
  };
}

/** Without a subscription every value is null. */
function subscriptionFields(facts: PlanFacts, full: boolean): object {
  const plan: Readonly<Record<string, unknown>> = facts.subscription ?? {};
  const field = (name: string): unknown => plan[name] ?? null;
  const personal = {
    customerId: facts.customer_id,
    paymentMethodBrand: field('payment_method_brand'),
    paymentMethodLast4: field('payment_method_last4'),
  };
  return {
    plan: facts.plan_override ?? facts.plan?.name ?? null,
    status: field('status'),
    priceId: field('price_id'),
    currentPeriodStart: field('period_start'),
    currentPeriodEnd: field('period_end'),
    cancelAtPeriodEnd: plan.cancel_at_period_end ?? false,
    ...(full ? personal : {}),
    credits: facts.credits ?? 0,
  };
}

function fileFields(file: RequestFacts['file'], url: string): object {
  const size = Number(file.file_size);
  return {
    id: file.id,
    name: file.file_name,
    type: file.file_type,
    size,
    sizeFormatted: formatBytes(size),
    mimeType: file.mime_type,
    url,
    path: file.file_path,
    createdAt: file.created_at,
    analyzed: file.analyzed,
    orderId: file.order_id,
  };
}

function totalFields(facts: PlanFacts): object {
  const limit = (facts.plan?.limits.storageMb ?? DEFAULT_STORAGE_MB) * MB;
  const used = Number(facts.used);
  return {
    userFiles: Number(facts.files),
    storageUsed: used,
    storageLimit: limit,
    storagePercentage: Math.min(100, Math.round((used / limit) * 1000) / 10),
  };
}

function gather({ resources }: AnalysisContext, analysisId: string): Promise<RequestFacts | undefined> {
  const found = resources.database.maybe(
    `select a.id as analysis_id, a.target, a.deadline_at, a.context, a.user_id, u.email, u.phone,
            u.raw_user_meta_data as metadata, c.customer_id, c.credits,
            (select to_jsonb(s) || jsonb_build_object(
                      'period_start', extract(epoch from s.current_period_start)::bigint,
                      'period_end', extract(epoch from s.current_period_end)::bigint)
               from public.subscriptions s where s.customer_id = c.customer_id
              order by (s.status in ('active', 'trialing')) desc, s.created_at desc limit 1) as subscription,
            private.plan_override(a.user_id) as plan_override,
            to_jsonb(f) as file,
            (select count(*) from public.user_files x where x.user_id = a.user_id and x.deleted_at is null) as files,
            (select coalesce(sum(x.file_size), 0) from public.user_files x
              where x.user_id = a.user_id and x.deleted_at is null) as used
       from private.analyses a
       join public.user_files f on f.id = a.file_id
       join auth.users u on u.id = a.user_id
       left join public.customers c on c.user_id = a.user_id
      where a.id = $1 and a.state in ('queued', 'sent') and a.deadline_at > now()`,
    [analysisId],
  );
  return found as Promise<RequestFacts | undefined>;
}
