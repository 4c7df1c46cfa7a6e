import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../src/kernel/config/project-root.ts';
import { LEGAL_TEXTS } from '../../src/kernel/contract/legal-texts.ts';
import { claims } from '../support/claims.ts';

/** What the privacy page says about each file that stores something in a browser. */
const KEPT: Readonly<Record<string, string>> = {
  'src/business/billing/checkout/checkout-secrets.web.ts':
    'the proof of a purchase until it is in your account',
  'src/site/app/prepare-head.ts': 'whether you have seen the opening',
  'src/ui/appearance-switch.tsx': 'light or dark, if you chose',
  'src/ui/parts/form-draft.ts': 'what you have typed into an enquiry that is not sent yet',
  'src/ui/parts/shortcuts.tsx': 'whether the keyboard shortcuts are on',
  'src/ui/session/stored-session.ts': 'Your session when you sign in',
};

/** Pages that only read what another one keeps. */
const READERS: readonly string[] = ['src/business/bookings/pages/booking-page.web.ts'];

test('the privacy page names everything that the pages store in a browser, and nothing stores cookies there', () => {
  claims(
    'Your session when you sign in; the proof of a purchase until it is in your account; whether the keyboard shortcuts are on; light or dark, if you chose; a small program that shows notices, if you switched them on; for this tab only, whether you have seen the opening and what you have typed into an enquiry that is not sent yet.',
  );
  const keeping = globSync('src/**/*.{ts,tsx}', { cwd: PROJECT_ROOT })
    .filter((file) => !/\.(test|server)\./.test(file))
    .filter((file) =>
      /(local|session)Storage|document\.cookie|indexedDB/.test(
        readFileSync(path.join(PROJECT_ROOT, file), 'utf8'),
      ),
    )
    .toSorted();
  expect(keeping.filter((file) => !READERS.includes(file))).toEqual(Object.keys(KEPT));
  for (const file of READERS)
    expect(readFileSync(path.join(PROJECT_ROOT, file), 'utf8')).not.toMatch(/setItem|cookie|indexedDB/);
  for (const sentence of Object.values(KEPT)) expect(LEGAL_TEXTS.privacy).toContain(sentence);
});
