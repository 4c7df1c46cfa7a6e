import type { FastifyInstance } from 'fastify';
import { equalSecrets } from '../equal-secrets.ts';
import type { InvoiceObject } from '../ledger/invoice-building.ts';
import type { PageHost } from '../provider-host.ts';
import {
  EMULATOR_PATH,
  findObject,
  listObjects,
  lockObject,
  type ProviderObject,
} from '../provider-store.ts';
import type { InvoiceParties } from './invoice-print.ts';
import { frameOf, sendNotice } from './page-frame.ts';

/**
 * The billed party, one line for each part. Older invoices do not state it, so the present customer is used.
 */
function buyerOf(invoice: InvoiceObject, customer: ProviderObject | undefined): string[] {
  const written = invoice.customer_tax_ids !== undefined;
  const address = (written ? invoice.customer_address : customer?.address) as Record<string, string> | null;
  const taxIds = (invoice.customer_tax_ids ?? []) as { value: string }[];
  const { line1, line2, city, postal_code: code, country } = address ?? {};
  return [
    written ? invoice.customer_name : customer?.name,
    written ? invoice.customer_email : customer?.email,
    line1,
    line2,
    [city, code, country].filter(Boolean).join(' '),
    ...taxIds.map(({ value }) => `VAT ${value}`),
  ].filter((word): word is string => typeof word === 'string' && word !== '');
}

const KINDS = {
  standard_rated: 'standard',
  reverse_charge: 'reverse_charge',
  not_collecting: 'none',
} as const;

type Params = { Params: { invoice: string; token: string } };

/** Serves invoices as PDF. The address is the key, as at Stripe; `…/{token}` leads to the PDF as well. */
export function serveInvoicePage(scope: FastifyInstance, host: PageHost): void {
  const { database, seller } = host;
  const frame = frameOf(seller);

  scope.get<Params>('/invoice/:invoice/:token', (request, reply) => {
    const { invoice, token } = request.params;
    return reply.redirect(
      `${EMULATOR_PATH}/invoice/${encodeURIComponent(invoice)}/${encodeURIComponent(token)}/pdf`,
      303,
    );
  });

  scope.get<Params>('/invoice/:invoice/:token/pdf', async (request, reply) => {
    const stored = await database.transaction((queries) =>
      lockObject(queries, 'invoice', request.params.invoice),
    );
    const token = stored?.hidden.token;
    if (stored === undefined || typeof token !== 'string' || !equalSecrets(request.params.token, token)) {
      return sendNotice(reply, frame, {
        status: 404,
        title: 'Page not found',
        text: 'There is no invoice at this address.',
      });
    }
    const invoice = stored.data as InvoiceObject;
    const customer = await findObject(database, 'customer', invoice.customer);
    const refunded = await refundedOf(invoice);
    const { printInvoice } = await import('./invoice-print.ts');
    const pdf = await printInvoice(invoice, {
      seller: seller.brand,
      contact: seller.contact,
      vatNumber: seller.vatNumber,
      vat: await vatOf(invoice),
      buyer: buyerOf(invoice, customer),
      refunded,
    });
    return reply
      .headers({
        'content-disposition': `attachment; filename="Invoice-${String(invoice.number)}.pdf"`,
        'cache-control': 'private, no-store',
      })
      .type('application/pdf')
      .send(pdf);
  });

  async function vatOf({ total_taxes: taxes }: InvoiceObject): Promise<InvoiceParties['vat']> {
    const [tax] = taxes ?? [];
    if (tax === undefined) return undefined;
    const rate = await findObject(database, 'tax_rate', tax.tax_rate_details.tax_rate);
    return { amount: tax.amount, kind: KINDS[tax.taxability_reason], percent: Number(rate?.percentage ?? 0) };
  }

  async function refundedOf(invoice: InvoiceObject): Promise<number> {
    const { data } = invoice.payments as { data: { payment: { payment_intent: string } }[] };
    let refunded = 0;
    for (const { payment } of data) {
      const charges = await listObjects(database, 'charge', {
        customer: invoice.customer,
        matching: { payment_intent: payment.payment_intent },
        limit: 10,
      });
      for (const charge of charges) refunded += Number(charge.amount_refunded);
    }
    return refunded;
  }
}
