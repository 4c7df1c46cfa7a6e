import { expect, test } from 'vitest';
import { claims } from '../../../tests/support/claims.ts';
import { PAGE_TEXTS, pageText } from './page-texts.ts';
import { servicePages, sitePages, slugOf } from './service-pages.ts';
import { PublishedSite } from './site-content.ts';

test('each service of the home page has a page, and an enquiry from it can be filed', () => {
  claims('Each service has a page of its own, and questions and answers have one.');
  const site = new PublishedSite();
  expect(servicePages(site.content).map(({ path }) => path)).toEqual([
    '/services/chat-bot-services',
    '/services/website-creation',
    '/services/automated-phone-caller',
    '/services/lead-generation',
    '/services/course-launcher',
    '/services/document-analysis',
  ]);
  for (const { slug, enquiry } of servicePages(site.content)) {
    expect(Object.keys(PAGE_TEXTS)).toContain(slug);
    expect(site.enquiryServices).toContain(enquiry);
  }
  expect(sitePages(site.content)['service.lead-generation']).toMatchObject({
    page: 'service',
    indexable: true,
  });
});

test('an agency’s own services have pages, unsold ones have none, and no two share an address', () => {
  const site = new PublishedSite({
    content: {
      sections: ['services', 'phone'],
      services: [
        { name: 'Loft Conversions & more', text: 'We turn a roof into a room.', picture: 'none' },
        { name: 'Крыши', text: 'Roofs.', picture: 'none' },
        { name: 'loft conversions: more!', text: 'Again.', picture: 'none' },
      ],
      enquiryServices: ['Loft Conversions & more'],
      pages: { 'loft-conversions-more': 'Ours.' },
    },
  });
  expect(servicePages(site.content)).toMatchObject([
    { path: '/services/loft-conversions-more', enquiry: 'Loft Conversions & more' },
    { path: '/services/service-2', enquiry: undefined },
  ]);
  expect(pageText(site, 'loft-conversions-more')).toBe('Ours.');
  expect(pageText(site, 'service-2')).toBe('');
  expect(slugOf('Café & Söhne')).toBe('cafe-sohne');
});
