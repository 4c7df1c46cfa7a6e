import { expect, test } from 'vitest';
import type { Block } from '../contract/report.contract.ts';
import { readFileContent } from '../formats/file-content.ts';
import { createOcrSession } from '../ocr/ocr-session.ts';
import { KIND_PAPERS } from '../samples/kind-papers.fixture.ts';
import { chosenKind, scoreKinds } from './kind-classification.ts';
import { buildReport } from './report-building.ts';

const kindOf = (text: string, title = ''): { kind: string; confidence: number } => {
  const block: Block = { id: 'b1', type: 'para', text };
  return chosenKind(scoreKinds([block], [], title));
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

test.each(KIND_PAPERS.map(([kind, language, text], index) => [kind, language, index, text] as const))(
  'a paper of each kind is recognised: %s, %s (%i)',
  async (kind, _, __, text) => {
    const document = await readFileContent(
      Buffer.from(text),
      createOcrSession(0, () => {}),
    );
    const report = buildReport(document, {
      fileName: 'scan0001.txt',
      sha256: '',
      createdAt: '2026-03-10T09:00:00.000Z',
    });
    expect(report.document.kind).toBe(kind);
  },
);

test('nothing is due on a delivery note, whatever prices it prints', async () => {
  const [, , text] = KIND_PAPERS.find(([kind]) => kind === 'delivery_note') ?? [];
  const document = await readFileContent(
    Buffer.from(`${text}\nDue date: 3 July 2026`),
    createOcrSession(0, () => {}),
  );
  const report = buildReport(document, { fileName: 'x', sha256: '', createdAt: '2026-03-10T09:00:00.000Z' });
  expect(report.fields.map(({ key, value }) => `${key} ${value}`)).toContain('document_number DN-55821');
  expect(report.attention).toEqual([]);
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
