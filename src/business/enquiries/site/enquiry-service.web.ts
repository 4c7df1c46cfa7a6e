import { enquiryServices } from '../../../kernel/contract/site-content.ts';

/** The service that an address names in `?service=`, if it is one that we offer. */
export function enquiryServiceOf(search: string): string | undefined {
  const asked = new URLSearchParams(search).get('service');
  return enquiryServices().find((service) => service === asked);
}
