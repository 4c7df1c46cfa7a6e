import { expect, test } from 'vitest';
import { expectRead, readDocument, share, textOf } from './document-reader.ts';
import { asJpeg, damage, drawPage } from './make-scans.ts';

test.each([
  ['a quarter', 'quarter', 90],
  ['half', 'half', 180],
  ['three quarters', 'three-quarters', 270],
] as const)('a photo that is turned by %s is read upright', async (_name, how, turned) => {
  const scan = damage(drawPage('en', 'invoice', 2), how, 2);
  const reply = expectRead(await readDocument('photo.jpg', asJpeg(scan.canvas)));
  expect(share(scan, textOf(reply))).toBeGreaterThan(0.85);
  expect(reply.report.coverage.pagesOcr).toMatchObject([{ turned }]);
});

test.each([
  ['de', /[äöüß]/],
  ['fr', /[éèêç]/],
] as const)(
  'a scan (%s) keeps its letters: the recogniser without accents is kept off it',
  async (language, letters) => {
    const scan = damage(drawPage(language, 'letter', 4), 'shadow', 4);
    const reply = expectRead(await readDocument('scan.jpg', asJpeg(scan.canvas)));
    expect(share(scan, textOf(reply))).toBeGreaterThan(0.93);
    expect(textOf(reply)).toMatch(letters);
    expect(reply.report.document.language).toBe(language);
  },
);
