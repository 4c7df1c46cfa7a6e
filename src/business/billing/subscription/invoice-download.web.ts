import type { BilledInvoice } from './billing-management.contract.ts';
import { askBilling } from './billing-read.web.ts';

/** Long enough for the browser to start saving the file. */
const KEEP_MS = 60_000;

/**
 * Fetches an invoice with the user's token and makes the browser save it.
 *
 * @throws CallRefused with the sentence for the user
 */
export async function downloadInvoice({ number, id, pdf_url }: BilledInvoice): Promise<void> {
  const reply = await askBilling(pdf_url ?? '');
  const address = URL.createObjectURL(await reply.blob());
  const link = document.createElement('a');
  link.href = address;
  link.download = `Invoice-${number ?? id}.pdf`;
  link.hidden = true;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), KEEP_MS);
}
