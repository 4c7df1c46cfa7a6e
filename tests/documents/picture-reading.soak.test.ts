import { expect, test } from 'vitest';
import { expectRead, readDocument, share, textOf } from './document-reader.ts';
import { asJpeg, damage, drawPage } from './make-scans.ts';

test('a photo that lies on its other side is read upright', async () => {
  const scan = damage(drawPage('en', 'invoice', 2), 'three-quarters', 2);
  const reply = expectRead(await readDocument('photo.jpg', asJpeg(scan.canvas)));
  expect(share(scan, textOf(reply))).toBeGreaterThan(0.85);
  expect(reply.report.coverage.pagesOcr).toMatchObject([{ turned: 270 }]);
});

test('a French scan keeps its letters: the recogniser without accents is kept off it', async () => {
  const scan = damage(drawPage('fr', 'letter', 4), 'shadow', 4);
  const reply = expectRead(await readDocument('scan.jpg', asJpeg(scan.canvas)));
  expect(share(scan, textOf(reply))).toBeGreaterThan(0.93);
  expect(textOf(reply)).toMatch(/[éèêç]/);
  expect(reply.report.document.language).toBe('fr');
});
