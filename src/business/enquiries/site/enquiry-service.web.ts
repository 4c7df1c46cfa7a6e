import { ENQUIRY_SERVICES } from '../../../kernel/contract/enquiries.ts';

/** One of the services that an enquiry may name. */
export type EnquiryService = (typeof ENQUIRY_SERVICES)[number];

/** The service that an address names in `?service=`, if it is one that we offer. */
export function enquiryServiceOf(search: string): EnquiryService | undefined {
  const asked = new URLSearchParams(search).get('service');
  return ENQUIRY_SERVICES.find((service) => service === asked);
}
