import { expect, onTestFinished, test } from 'vitest';
import { claims } from '../../../tests/support/claims.ts';
import { PAGE_TEXTS, pageText } from './page-texts.ts';
import { servicePages, sitePages, slugOf } from './service-pages.ts';
import { enquiryServices, installContent } from './site-content.ts';

test('each service of the home page has a page, and an enquiry from it can be filed', () => {
  claims('Each service has a page of its own, and questions and answers have one.');
  expect(servicePages().map(({ path }) => path)).toEqual([
    '/services/chat-bot-services',
    '/services/website-creation',
    '/services/automated-phone-caller',
    '/services/lead-generation',
    '/services/course-launcher',
    '/services/document-analysis',
  ]);
  for (const { slug, enquiry } of servicePages()) {
    expect(Object.keys(PAGE_TEXTS)).toContain(slug);
    expect(enquiryServices()).toContain(enquiry);
  }
  expect(sitePages()['service.lead-generation']).toMatchObject({ page: 'service', indexable: true });
});

test('an agency’s own services have pages, unsold ones have none, and no two share an address', () => {
  installContent({
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
  onTestFinished(() => installContent({ content: {} }));
  expect(servicePages()).toMatchObject([
    { path: '/services/loft-conversions-more', enquiry: 'Loft Conversions & more' },
    { path: '/services/service-2', enquiry: undefined },
  ]);
  expect(pageText('loft-conversions-more')).toBe('Ours.');
  expect(pageText('service-2')).toBe('');
  expect(slugOf('Café & Söhne')).toBe('cafe-sohne');
});
