import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { StorageUsage } from './storage-usage.web.tsx';

const MB = 1024 * 1024;

/** The text of the card. */
const shown = (sizes: readonly number[] | undefined, limitMb = 250): string =>
  renderToStaticMarkup(createElement(StorageUsage, { sizes, limitBytes: limitMb * MB }))
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');

test('the storage card counts the files, writes the limit as the plans do, and warns above its thresholds', () => {
  expect(shown(undefined)).toContain('Storage Usage – of 250 MB');
  const pro = shown([12 * MB, 0.5 * MB], 1000);
  for (const words of [
    '12.5 MB of 1,000 MB',
    'Total Files 2',
    'Storage Used 12.5 MB',
    'Storage Limit (MB) 1,000',
  ])
    expect(pro).toContain(words);
  expect(pro).not.toContain('Above');
  expect(shown([900])).toContain('900 B of 250 MB');
  // A plan's card says 2 GB, so this one does.
  expect(shown([900], 2048)).toContain('900 B of 2 GB');
  expect(shown([190 * MB])).toContain('Above 75%: 76% used.');
  expect(shown([226 * MB])).toContain('Above 90%: 90% used.');
  expect(shown([251 * MB])).toContain('Storage is full. Delete files or choose a larger plan.');
});
