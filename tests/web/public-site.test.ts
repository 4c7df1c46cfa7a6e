/// <reference lib="dom" />

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MESSAGES } from '../../src/kernel/contract/messages.ts';
import { CHROMIUM, closeContexts } from '../support/browser.ts';
import { claims } from '../support/claims.ts';
import { takeOver, visiting } from '../support/page-visit.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let app: TestApp;

beforeAll(async () => {
  if (CHROMIUM !== undefined) app = await startTestApp();
});
afterAll(async () => {
  await closeContexts();
  await app?.close();
});

describe.skipIf(CHROMIUM === undefined)('the public pages', () => {
  test('run two small scripts and fetch no application before a visitor does anything', async () => {
    await visiting({}, async (page) => {
      const scripts: string[] = [];
      page.on('request', (request) => request.resourceType() === 'script' && scripts.push(request.url()));
      await page.goto(app.url, { waitUntil: 'networkidle' });
      expect(scripts.map((url) => url.replace(/^.*\/|-[\w-]{8}\.js$/g, '')).sort()).toEqual([
        'load-when-needed',
        'prepare-head',
      ]);
    });
  });

  test('can be read without scripts, and the splash disappears', async () => {
    claims(
      'Sending this form needs JavaScript.',
      'The news are fetched by a script, which this browser does not run.',
    );
    await visiting({ javaScriptEnabled: false, reducedMotion: 'no-preference' }, async (page) => {
      await page.goto(app.url);
      await page.locator('.splash').waitFor({ state: 'hidden' });
      for (const heading of [
        ...['Client-First Approach', 'Precision & Excellence', 'Expert Team', 'Our Services'],
        ...['Chat Bot Services', 'Website Creation', 'Automated Phone Caller', 'Lead Generation'],
        ...['Personal Course Launcher', 'Choose Your Perfect Plan', 'Document Analysis Solutions'],
        ...['Business Tier', 'Automated Phone System', 'Latest in AI news'],
      ]) {
        expect(await page.getByRole('heading', { name: heading, exact: true }).isVisible(), heading).toBe(
          true,
        );
      }
      // Controls that do nothing say so, beside what a purchase includes.
      const courses = page.locator('#courses');
      // (The words inside a noscript element are not searched by getByText.)
      const why = courses.locator('noscript p');
      await why.waitFor();
      expect(await why.textContent()).toBe(
        'Buying a plan needs JavaScript, which is switched off in this browser.',
      );
      expect(await courses.getByRole('link', { name: 'terms' }).getAttribute('href')).toBe('/terms');
      await page.getByRole('link', { name: 'Get Started Today' }).first().click();
      await page.getByRole('heading', { name: "Let's discuss your project" }).waitFor();
    });
  });
});

describe.skipIf(CHROMIUM === undefined)('behind the home page', () => {
  test('each service links to its page and back, with something to try on it', async () => {
    await visiting({}, async (page) => {
      await page.goto(app.url);
      await page.getByRole('link', { name: 'Automated Phone Caller' }).click();
      await page.getByRole('heading', { name: 'Automated Phone Caller', level: 1 }).waitFor();
      await page.getByRole('button', { name: 'Test Now' }).waitFor();
      await page.getByRole('navigation', { name: 'Other services' }).getByText('Document Analysis').click();
      await page.getByRole('link', { name: 'See the plans' }).waitFor();
      await page.getByRole('link', { name: 'Open a sample report' }).click();
      await page.getByRole('heading', { name: 'Assured shorthold tenancy agreement' }).waitFor();
    });
  });

  test('the sample report shows a whole report without an account, and each fact at its place in the document', async () => {
    claims(
      'Press the words beside a fact, and the document opens at their place.',
      'You need no account for it.',
      'You can walk through a whole report on a sample document first: it takes no credit.',
      'Every fact carries the words that it was taken from, and leads to their place in the document.',
      'A whole report on a sample document can be read without an account.',
    );
    await visiting({ viewport: { width: 1440, height: 900 } }, async (page) => {
      const asked: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      await page.goto(`${app.url}/sample-report`);
      await page.getByText('The document is made up; the report is what our program made of it').waitFor();
      await page
        .getByRole('row', { name: /^Rent/ })
        .getByRole('button', { name: /in the document/ })
        .first()
        .click();
      await page.locator('mark.quote-box', { hasText: '£1,125.00' }).first().waitFor();
      expect(asked.filter((path) => /^\/(auth|rest|storage|functions)\//.test(path))).toEqual([]);
    });
  });

  test('the status page says which parts answer and which do not', async () => {
    claims(
      'How long analyses take, how many succeed and how much of the time the service ran is shown from … analyses on.',
    );
    await visiting({}, async (page) => {
      await page.goto(`${app.url}/status`);
      await page.getByText('The site, accounts, files and calls answer.').waitFor();
      // Nothing is measured yet, and no invented figures are shown.
      await page.getByText('how much of the time the service ran is shown from 20 analyses on').waitFor();
      expect(await page.getByText('Illustrative').count()).toBe(0);
      const sayings: [status: number, body: object, sentence: string][] = [
        [
          200,
          { status: 'ready', files: 'unavailable' },
          'Uploads and downloads wait for the store of files. Everything else answers.',
        ],
        [
          503,
          { status: 'database unavailable', files: 'available' },
          'The server answers, and says that it cannot do its work just now.',
        ],
      ];
      for (const [status, json, sentence] of sayings) {
        await page.route('**/readyz', (route) => route.fulfill({ status, json }));
        await page.reload();
        await page.getByText(sentence).waitFor();
        await page.unroute('**/readyz');
      }
      await page.route('**/readyz', (route) => route.abort());
      await page.reload();
      await page.getByText('The server could not be reached from here.').waitFor();
    });
  });
});

describe.skipIf(CHROMIUM === undefined)('a navigation inside the site', () => {
  test('moves the keyboard focus to the new content', async () => {
    await visiting({}, async (page) => {
      await page.goto(app.url);
      await takeOver(page);
      await page.getByRole('link', { name: 'Terms', exact: true }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Terms', exact: true }).waitFor();
      await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main');
    });
  });
});

describe.skipIf(CHROMIUM === undefined)('parts that do not load', () => {
  test('the application: the page says so and offers another attempt', async () => {
    claims(
      'The connection may be gone, or the site has just been updated.',
      'Nothing that you have stored is lost.',
    );
    await visiting({}, async (page) => {
      await page.route('**/assets/start-app-*.js', (route) => route.abort());
      await page.goto(app.url);
      await page.getByRole('button', { name: 'Choose Pro', exact: true }).click();
      await page.getByRole('alert').getByText('Part of this page did not load.').waitFor();
      await page.unroute('**/assets/start-app-*.js');
      // The mouse that loads the application has to move on the new page, not on the one being left.
      await Promise.all([
        page.waitForEvent('load'),
        page.getByRole('link', { name: 'Load it again' }).click(),
      ]);
      await takeOver(page);
      expect(await page.getByText('Part of this page did not load.').isVisible()).toBe(false);
    });
  });

  test('a page opened inside the site: reported in its place, with another attempt and a link to the home page', async () => {
    await visiting({}, async (page) => {
      const ofPage = /\/assets\/written-(?!text-)[^/]+\.js$/;
      await page.route(ofPage, (route) => route.abort());
      await page.goto(app.url);
      await takeOver(page);
      await page.getByRole('link', { name: 'Terms', exact: true }).click();
      await page.getByRole('heading', { name: 'This page did not load' }).waitFor();
      await page.unroute(ofPage);
      await page.getByRole('button', { name: 'Load it again' }).click();
      await page.getByRole('heading', { name: 'Terms', exact: true }).waitFor();
    });
  });

  test('an expired mailed link: reported on the login page, also when it names no page', async () => {
    await visiting({}, async (page) => {
      await page.goto(`${app.url}/auth/v1/verify?token=over&type=signup`);
      await page.waitForURL(`${app.url}/login`);
      await page.getByRole('alert').waitFor();
    });
  });
});

describe.skipIf(CHROMIUM === undefined)('the splash', () => {
  test('covers only the first home page of a visit, and a key ends it', async () => {
    await visiting({ reducedMotion: 'no-preference' }, async (page) => {
      // It ends by itself after two seconds, which is too short for a busy machine to check, so it is held at
      // its beginning.
      await page.addInitScript(() =>
        addEventListener('animationstart', () => {
          for (const animation of document.getAnimations()) {
            animation.pause();
            animation.currentTime = 0;
          }
        }),
      );
      await page.goto(app.url);
      await page.locator('.splash').waitFor();
      await page.keyboard.press('Shift');
      await page.locator('.splash').waitFor({ state: 'hidden' });
      await page.reload();
      expect(await page.locator('.splash').isVisible()).toBe(false);
    });
  });
});

describe.skipIf(CHROMIUM === undefined)('the enquiry', () => {
  test('opens at the first key press, is sent, and answers with a reference', async () => {
    claims('It reaches our own team, and you get a reference at once.', 'Your enquiry has arrived.');
    await visiting({}, async (page) => {
      await page.goto(app.url);
      const opener = page.getByRole('link', { name: 'Get Started Today' }).first();
      await opener.focus();
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog', { name: "Let's discuss your project" });
      await dialog.waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      expect(await opener.evaluate((element) => element === document.activeElement)).toBe(true);

      await opener.click();
      await page.getByRole('button', { name: 'Send enquiry' }).click();
      await page.getByText('3 fields need another look').waitFor();
      expect(
        await page.getByLabel('Full Name').evaluate((element) => element === document.activeElement),
      ).toBe(true);
      await page.getByLabel('Full Name').fill('Ada Byron');
      await page.getByLabel('Email Address').fill('ada@gmial.com');
      await page.getByLabel('Website').fill('not a site');
      await page.getByRole('button', { name: 'ada@gmail.com' }).click();
      await page.getByLabel('Service of Interest').selectOption('App Builder');
      await page.getByRole('button', { name: 'Send enquiry' }).click();
      await page.getByText('Enter a web address like example.com').waitFor();
      await page.getByLabel('Website').fill('byron.example');
      await page.getByRole('button', { name: 'Send enquiry' }).click();
      await page.getByRole('heading', { name: 'Thank You!' }).waitFor();
      expect(await page.locator('output').textContent()).toMatch(/^ENQ-/);
      await page.getByRole('link', { name: 'Create Free Account' }).waitFor();
      await page.getByRole('button', { name: 'Maybe later' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    });
  });

  test('cannot be closed while it is being sent, and a failure is shown inside with the entries kept', async () => {
    await visiting({}, async (page) => {
      await page.goto(`${app.url}/enquire?service=Business%20Tier`);
      await page.getByRole('heading', { name: 'Enterprise Solution Inquiry' }).waitFor();
      let fail = (): void => {};
      const asked = new Promise<void>((resolve) => {
        void page.route('**/functions/v1/enquiry', (route) => {
          resolve();
          fail = () => void route.abort();
        });
      });
      await page.getByLabel('Full Name').fill('Ada Byron');
      await page.getByLabel('Email Address').fill('ada@byron.example');
      await page.getByRole('button', { name: 'Send enquiry' }).click();
      await asked;
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      expect(await page.getByRole('dialog').isVisible()).toBe(true);
      fail();
      await page.getByText(MESSAGES.enquiry.failed).waitFor();
      expect(await page.getByLabel('Full Name').inputValue()).toBe('Ada Byron');
      await page.getByRole('link', { name: 'Close' }).click();
      await page.waitForURL(`${app.url}/`);
    });
  });

  test('about a course is accepted', async () => {
    await visiting({}, async (page) => {
      await page.goto(app.url);
      await page.getByRole('link', { name: 'Enquire Now' }).click();
      await page.getByLabel('Full Name').fill('Ada Byron');
      await page.getByLabel('Email Address').fill('ada@byron.example');
      await page.getByLabel('Course Description').fill('Bread for beginners, five lessons.');
      await page.getByRole('button', { name: 'Send inquiry' }).click();
      await page.getByRole('heading', { name: 'Course Inquiry Received!' }).waitFor();
      expect(await page.locator('output').textContent()).toMatch(/^COURSE-/);
    });
  });
});

describe.skipIf(CHROMIUM === undefined)('the home page', () => {
  test('offers the phone system: three cards with a dot each, Test Now with its five benefits, and an enquiry', async () => {
    await visiting({}, async (page) => {
      await page.goto(app.url);
      await takeOver(page);
      const carousel = page.getByRole('group', { name: 'What the phone system does' });
      for (const card of ['Custom Solutions', 'Smart Scheduling', '24/7 Availability']) {
        await carousel.getByRole('button', { name: `Show ${card}` }).click();
        await page.waitForFunction((name) => {
          const shown = document.querySelector('.carousel li:not([inert]) h3');
          return shown?.textContent === name;
        }, card);
      }
      expect(await page.getByRole('button', { name: 'Test Now' }).isEnabled()).toBe(true);
      expect(await page.locator('.phone-try .ticks li').count()).toBe(5);
      await page.getByRole('link', { name: 'Have one for your business' }).click();
      expect(await page.getByLabel('Service of Interest').inputValue()).toBe('Automated Phone System');
    });
  });

  test('says that the news cannot be loaded, and loads them on another attempt', async () => {
    await visiting({}, async (page) => {
      await page.route('**/functions/v1/news', (route) => route.abort());
      await page.goto(app.url);
      await takeOver(page);
      await page.getByRole('heading', { name: MESSAGES.news.heading }).waitFor();
      await page.getByText(MESSAGES.news.text).waitFor();
      await page.unroute('**/functions/v1/news');
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('heading', { name: MESSAGES.news.heading }).waitFor({ state: 'detached' });
    });
  });

  test('shows in a toast that the checkout cannot be started, and the button works again', async () => {
    await visiting({}, async (page) => {
      await page.goto(app.url);
      await page.route('**/functions/v1/checkout', (route) => route.abort());
      const button = page.getByRole('button', { name: 'Choose Pro', exact: true });
      await button.click();
      await page.getByText(MESSAGES.checkout.unavailable).waitFor();
      await page.unroute('**/functions/v1/checkout');
      await page.route('**/functions/v1/checkout', (route) => route.fulfill({ json: {} }));
      await button.click();
      await page.getByText(MESSAGES.checkout.noUrl).waitFor();
    });
  });
});
