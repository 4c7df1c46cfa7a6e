import { z } from 'zod';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { requireUser } from '../../../kernel/http/authenticate.ts';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import type { RateLimit } from '../../../kernel/http/rate-limit.ts';
import {
  type OutboundReply,
  requestOwnServer,
} from '../../../kernel/resources/outbound-http/outbound-http.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { unlessMissing } from '../customers/customer-fetch.server.ts';
import type { Payments } from '../payments.server.ts';
import { BILLING_FUNCTIONS } from './billing-management.contract.ts';

const LIMIT: RateLimit = { name: 'function download-invoice', count: 60, seconds: 300 };
const MAX_BYTES = 10 * 1024 * 1024;
const MAX_HOPS = 3;

/**
 * `GET /functions/v1/download-invoice?invoice_id=`: the provider's PDF of one of the caller's own invoices,
 * as an attachment. 404 for every other invoice, 502 when the provider does not deliver it.
 */
export function mountDownloadInvoice(http: HttpContext, resources: Resources, payments: Payments): void {
  const { database } = resources;
  http.server.get(BILLING_FUNCTIONS.invoice, async (request, reply) => {
    const caller = await http.authenticate(request.headers, request.query as Record<string, unknown>);
    requireUser(caller);
    await http.rateLimiter.take(LIMIT, caller.userId ?? http.addressOf(request));
    await http.requireSecondFactor(caller);
    const query = z.object({ invoice_id: z.string().min(1).max(255) }).safeParse(request.query);
    if (!query.success) throw new ServiceError(400, 'validation_failed', 'invoice_id is missing.');
    const own = await database.maybe(
      `select i.id, i.number from private.payment_invoices i
       join private.payment_customers p on p.customer_id = i.customer_id
       join public.customers c on c.id = p.customer_row
       where i.id = $1 and c.user_id = $2`,
      [query.data.invoice_id, caller.userId],
    );
    if (own === undefined) throw new ServiceError(404, 'not_found', 'There is no such invoice.');
    const pdf = await fetchInvoicePdf(resources, payments, own.id).catch((error: unknown) => {
      throw new ServiceError(502, 'invoice_failed', 'Unable to get the invoice. Please try again later.', {
        cause: error,
      });
    });
    const name = (own.number ?? own.id).replace(/[^\w.-]/g, '_');
    return reply
      .headers({
        'content-disposition': `attachment; filename="Invoice-${name}.pdf"`,
        'cache-control': 'private, no-store',
      })
      .type('application/pdf')
      .send(pdf);
  });
}

/** Downloads the provider's PDF of an invoice; Stripe redirects to it. @throws Error when there is none */
export async function fetchInvoicePdf(
  resources: Pick<Resources, 'outbound'>,
  payments: Payments,
  id: string,
): Promise<Buffer> {
  const invoice = await payments.stripe.invoices.retrieve(id).catch(unlessMissing);
  let address = invoice?.invoice_pdf ?? undefined;
  for (let hop = 0; hop < MAX_HOPS && address !== undefined; hop += 1) {
    const answer = await getPdf(resources, payments, address);
    if (answer.status === 200 && !answer.cut && answer.body.subarray(0, 5).toString() === '%PDF-')
      return answer.body;
    const { location } = answer.headers;
    address =
      answer.status >= 300 && answer.status < 400 && location !== undefined
        ? new URL(location, address).href
        : undefined;
  }
  throw new Error('the provider gave no PDF');
}

async function getPdf(
  { outbound }: Pick<Resources, 'outbound'>,
  { embedded }: Payments,
  address: string,
): Promise<OutboundReply> {
  const request = { method: 'GET', maxBytes: MAX_BYTES } as const;
  if (embedded === undefined) return outbound.request({ ...request, url: address });
  const { origin } = new URL(await embedded.address());
  return requestOwnServer(origin, new URL(address).pathname, request);
}
