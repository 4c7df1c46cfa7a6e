import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { CHROMIUM } from '../support/browser.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { expectOneEnd, openPhoneVisits, type PhoneVisits, testNow } from '../support/voice/phone-visit.ts';
import type { SpeakingVisitor } from '../support/voice/speaking-visitor.ts';
import { type CallRecord, voiceApi } from '../support/voice/voice-calls.ts';

// Each test waits for what is said and not for a clock, because a busy machine takes longer. They run one
// after another: a browser without enough processor time drops sound, and a word with a gap is another word.
vi.setConfig({ testTimeout: 240_000 });

let app: TestApp;
/** An installation whose assistant hangs up soon. */
let short: TestApp;
let visits: PhoneVisits;

beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  [app, short] = await Promise.all([startTestApp(), startTestApp()]);
  visits = await openPhoneVisits();
});
afterAll(async () => {
  await visits?.close();
  await Promise.all([app?.close(), short?.close()]);
});

/** The records of an installation's calls, newest first. */
const callsOf = async (of: TestApp): Promise<CallRecord[]> => (await voiceApi(of, 'GET', '/call')).body;

const interrupted = ({ told }: SpeakingVisitor): boolean =>
  told.some(({ type }) => type === 'user-interrupted');

describe.skipIf(CHROMIUM === undefined)('a visitor who speaks', () => {
  test('gets a price, interrupts the assistant with another question, and says goodbye', async () => {
    await visits.visit(app.url, async (visit) => {
      const { page, visitor } = visit;
      await testNow(page).click();
      await page.getByRole('button', { name: 'Processing...' }).waitFor();
      await visitor.begun('this is the AI assistant');
      await page.getByRole('button', { name: 'AI Speaking...' }).waitFor();
      expect(await page.getByRole('button', { name: 'AI Speaking...' }).isDisabled()).toBe(true);
      await visitor.silent();
      await visitor.ask(page, 'How much is the pro plan?', '£49');
      await visitor.say(page, 'What services do you offer?');
      await visitor.begun('We offer');
      await visitor.ask(page, 'How much is the premium plan?', '£129');
      expect(interrupted(visitor)).toBe(true);
      await visitor.say(page, 'Thank you. Goodbye.');
      await expectOneEnd(visit);
      const said = page.getByRole('log');
      await said.getByText('how much is the pro plan').waitFor();

      const ends = (await callsOf(app)).map(({ endedReason }) => endedReason);
      expect(ends).toEqual(['assistant-ended-call']);
      // The history has the part of the interrupted answer that was played.
      const offers = visitor.history().filter(({ content }) => content.startsWith('We offer'));
      expect(offers.at(-1)?.content ?? '').not.toContain('tell you about');
    });
  });

  test('by keyboard: sends an enquiry, books a call, and hangs up', async () => {
    await visits.visit(app.url, async (visit) => {
      const { page, visitor } = visit;
      await testNow(page).press('Enter');
      await visitor.heard('How can I help you?');
      await visitor.ask(page, 'I would like to send an enquiry.', 'What is it about');
      await visitor.ask(page, 'We need a new website for our bakery.', 'your name');
      await visitor.ask(page, 'My name is Peter Brown.', 'Peter Brown');
      await visitor.ask(page, 'Yes.', 'e-mail address');
      await visitor.ask(
        page,
        'peter dot brown at example dot com',
        'peter, p e t e r, dot brown, b r o w n, at example dot com',
      );
      await visitor.ask(page, 'Yes, that is right.', 'May I send it');
      await visitor.ask(page, 'Yes please.', 'within 24 hours');
      const enquiries = 'select name, email, enquiry_type, additional_notes from public.enquiries';
      expect(await app.resources.database.many(enquiries)).toEqual([
        {
          name: 'Peter Brown',
          email: 'peter.brown@example.com',
          enquiry_type: 'Website Builder',
          additional_notes: expect.stringMatching(/new website for our bakery/i),
        },
      ]);

      await visitor.ask(page, 'I would like to book a call.', 'Which day and time');
      await visitor.ask(page, "On Monday at ten o'clock.", 'Shall I book it');
      await visitor.ask(page, 'Yes.', 'your name');
      const box = page.getByLabel('Type to the assistant');
      await box.fill('Peter Brown');
      await box.press('Enter');
      await visitor.begun('phone number');
      await box.fill('020 7946 0018');
      await box.press('Enter');
      await visitor.begun('It is booked');
      const bookings = await app.resources.database.many(
        `select name, phone, minutes, to_char(starts_at at time zone 'Europe/London', 'FMDay HH24:MI') as at
           from northline_app.bookings`,
      );
      expect(bookings).toEqual([
        { name: 'Peter Brown', phone: '02079460018', minutes: 30, at: 'Monday 10:00' },
      ]);
      await page.getByRole('button', { name: 'Hang up' }).press('Enter');
      await expectOneEnd(visit);
      // Keyboard users are led to what comes next, and back.
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.getByText('The words of this call have been deleted.').waitFor();
      await page.getByRole('button', { name: 'Close' }).press('Enter');
      await page.locator('.test-now:focus').waitFor();
    });
  });

  test('says nothing, and talks for too long: the assistant hangs up and says why; another call works', async () => {
    const assistant = `/assistant/${short.resources.keys.voice_assistant_id}`;
    await voiceApi(short, 'PATCH', assistant, { silenceTimeoutSeconds: 10 });
    await visits.visit(short.url, async (visit) => {
      const { page, visitor } = visit;
      await testNow(page).click();
      await visitor.heard('How can I help you?');
      await expectOneEnd(visit, 'Nobody spoke for a while');
      await voiceApi(short, 'PATCH', assistant, { maxDurationSeconds: 20 });
      visitor.ends = 0;
      await testNow(page).click();
      await visitor.begun('How can I help you?');
      await visitor.say(page, 'What services do you offer?');
      await expectOneEnd(visit, 'The call had reached its longest time.');
    });
    expect((await callsOf(short)).map(({ endedReason }) => endedReason)).toEqual([
      'exceeded-max-duration',
      'silence-timed-out',
    ]);
  });
});
