import type { OutboxEvent, OutboxMessage } from '../../kernel/resources/outbound-http/outbox.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { type Enquiry, mailToAgency, webhookBody } from './enquiry-mails.server.ts';

/** Events of the outbox (docs/contracts/documents.md §7). */
export const ENQUIRY_EVENT = 'enquiry.created';
export const COURSE_EVENT = 'course_inquiry.created';

interface Delivered {
  readonly enquiry: Enquiry;
  readonly reasons: readonly string[];
}

/**
 * Delivers enquiries to ENQUIRY_WEBHOOK_URL, signed and with retries. If the automation never accepts one,
 * the agency gets it by mail, so that none is lost.
 */
export function defineEnquiryEvents(resources: Resources): void {
  const { database, mailer, outbox, settings } = resources;
  for (const kind of [ENQUIRY_EVENT, COURSE_EVENT]) {
    outbox.define(kind, {
      async compose(event) {
        const found = await findEnquiry(resources, event);
        if (found === undefined) return undefined;
        if (settings.ENQUIRY_WEBHOOK_URL !== '') return messageFor(resources, event, found);
        // The automation was removed from the settings while this enquiry waited.
        await database.transaction((queries) =>
          mailer.send(queries, mailToAgency(resources, found.enquiry, found.reasons)),
        );
        return undefined;
      },
      async settled(queries, event, outcome) {
        if (outcome.accepted) return;
        const found = await findEnquiry(resources, event);
        if (found !== undefined)
          await mailer.send(queries, mailToAgency(resources, found.enquiry, found.reasons, true));
      },
    });
  }
}

async function findEnquiry({ database }: Resources, event: OutboxEvent): Promise<Delivered | undefined> {
  const row = await database.maybe(
    `select id, name, email, phone, company_name, website, enquiry_type, additional_notes, course_description,
            user_id, created_at, suspect_reasons
     from public.enquiries where event_subject = $1`,
    [event.subjectId],
  );
  if (row === undefined) return undefined;
  const { created_at, suspect_reasons: reasons, ...words } = row;
  return { enquiry: { ...words, timestamp: created_at.toISOString() }, reasons };
}

function messageFor({ outbound, settings }: Resources, event: OutboxEvent, found: Delivered): OutboxMessage {
  return {
    send: (request) => outbound.request({ ...request, url: settings.ENQUIRY_WEBHOOK_URL }),
    headers: { 'x-request-source': 'website' },
    body: {
      ...webhookBody(settings, found.enquiry, found.reasons.length > 0),
      event: event.kind,
      deliveryId: event.id,
    },
  };
}
