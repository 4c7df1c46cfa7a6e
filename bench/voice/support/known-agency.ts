import { PublishedSite } from '../../../src/kernel/contract/site-content.ts';

/** The agency of a new installation, for the words that its recogniser expects. */
export const KNOWN = {
  site: new PublishedSite(),
  brand: 'Northline',
  contactEmail: 'hello@northline.example',
  hours: '',
  sentences: [],
};
