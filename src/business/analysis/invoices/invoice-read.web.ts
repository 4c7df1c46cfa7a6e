import { queryOptions } from '@tanstack/react-query';
import { callServer } from '../../../ui/session/server-call.ts';
import { INVOICE_FUNCTIONS, type InvoiceList } from './invoice-list.contract.ts';

/** All invoices of the user with their sums; its key starts with `files`, so that a changed file asks again. */
export function invoicesQuery(userId: string) {
  return queryOptions({
    queryKey: ['files', userId, 'invoices'],
    queryFn: async ({ signal }): Promise<InvoiceList> => {
      const reply = await callServer(INVOICE_FUNCTIONS.list, { as: 'user', body: {}, signal });
      return reply.json() as Promise<InvoiceList>;
    },
  });
}

/** Notes when an invoice was paid, or with null that it is not. @throws CallRefused with the sentence for the user */
export async function markInvoice(fileId: string, paidOn: string | null): Promise<void> {
  await callServer(INVOICE_FUNCTIONS.mark, { as: 'user', body: { file_id: fileId, paid_on: paidOn } });
}
