import { expect, test } from 'vitest';
import type { Block } from '../contract/report.contract.ts';
import { classifyKind } from './kind-classification.ts';

const kindOf = (text: string, title = ''): { kind: string; confidence: number } => {
  const block: Block = { id: 'b1', type: 'para', text };
  return classifyKind([block], title);
};

test.each([
  [
    'lease',
    'Tenancy agreement\nThe landlord lets the premises to the tenant. The rent is £900 a month, the deposit £900.',
  ],
  [
    'lease',
    'Mietvertrag\nDer Vermieter überlässt dem Mieter die Wohnung. Die Kaltmiete beträgt 900 €, die Kaution 1.800 €.',
  ],
  [
    'terms',
    'Terms and conditions\nThese terms of business govern each order. Our terms of sale are on the back.',
  ],
  [
    'letter',
    'Dear Mr Price,\nthank you for your letter of Monday. We agree.\nYours sincerely,\nDaniel Moore',
  ],
  ['letter', 'Sehr geehrte Frau Kessler,\nvielen Dank für Ihren Anruf.\nMit freundlichen Grüßen\nJ. Peters'],
  [
    'minutes',
    'Minutes of the parish council\nApologies: none. Attendees: five. Action items: two. Matters arising: one.',
  ],
  ['cv', 'Curriculum vitae\nWork experience: joiner. Education: school. Skills: oak. References on request.'],
  [
    'policy',
    'Privacy policy\nThis privacy policy says what we keep. The cookie policy is a policy of its own.',
  ],
] as const)('a document is recognised by its words: %s', (kind, text) => {
  expect(kindOf(text).kind).toBe(kind);
});

test('better unsure than wrong: a text without marks has no kind, and no kind is certain', () => {
  expect(kindOf('The harbour wall is rebuilt in spring.')).toEqual({ kind: 'other', confidence: 0 });
  expect(kindOf('We agreed to meet on Monday and to look at the wall.')).toEqual({
    kind: 'other',
    confidence: 0,
  });
  expect(kindOf('Credit note. Gutschrift. Avoir. '.repeat(30)).confidence).toBeLessThanOrEqual(0.97);
});

test('a mark in the title counts more than one somewhere in a long text', () => {
  const filler = 'The committee met and looked at the wall again and again. '.repeat(400);
  expect(kindOf(`${filler} tenancy agreement, landlord`).kind).toBe('other');
  expect(
    kindOf(`${filler} tenancy agreement, landlord`, 'Tenancy agreement between landlord and tenant').kind,
  ).toBe('lease');
});
