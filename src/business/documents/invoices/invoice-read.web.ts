import { queryOptions } from '@tanstack/react-query';
import { callServer } from '../../../ui/session/server-call.ts';
import { INVOICE_FUNCTIONS, type InvoiceList } from './invoice-list.contract.ts';

/** The user's invoices with their sums; its key starts with `files`, so that a change of a file fetches it again. */
export function invoicesQuery(userId: string) {
  return queryOptions({
    queryKey: ['files', userId, 'invoices'],
    queryFn: async ({ signal }): Promise<InvoiceList> => {
      const reply = await callServer(INVOICE_FUNCTIONS.list, { as: 'user', body: {}, signal });
      return reply.json() as Promise<InvoiceList>;
    },
  });
}

/** Stores when an invoice was paid, or with null that it was not. @throws CallRefused with the sentence for the user */
export async function markInvoice(fileId: string, paidOn: string | null): Promise<void> {
  await callServer(INVOICE_FUNCTIONS.mark, { as: 'user', body: { file_id: fileId, paid_on: paidOn } });
}
