import ICAL from 'ical.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { claims } from '../../../../tests/support/claims.ts';
import { signUpPerson } from '../../../../tests/support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { suppress } from '../../../kernel/resources/mailer/suppressions.ts';
import { erasePerson, exportPerson } from '../../privacy/personal-data.server.ts';
import { bookingQuery, proofQuery } from '../booking-link.server.ts';
import { tellBookings } from '../booking-notices.server.ts';
import { remindOfBookings } from '../booking-reminders.server.ts';
import { openBookingRequests } from '../booking-requests.server.ts';
import { openBookings } from '../booking-store.server.ts';
import { slotsBetween } from '../free-times.server.ts';
import { isOpenAt, readWeeklyHours, sayWeeklyHours } from '../weekly-hours.server.ts';
import { sayClocks } from './booking-calendar-view.server.ts';

const ORIGIN = 'https://www.partner.example';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ANN = { name: 'Ann Wood', phone: '07700 900123' };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({
    settings: {
      VOICE_HOURS: 'mon-sun 9:00-17:00',
      TIME_ZONE: 'Europe/London',
      BOOKING_EMBED_ORIGINS: ORIGIN,
    },
  });
});
afterAll(() => app?.close());
beforeEach(async () => {
  const { database } = app.resources;
  for (const table of ['northline_app.bookings', 'private.booking_requests', 'private.booking_holds'])
    await database.run(`delete from ${table}` as never);
  await database.run('delete from private.mails');
});

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(app.url + path, { redirect: 'manual', headers });
const post = (path: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(app.url + path, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual', headers });
const html = async (path: string, headers: Record<string, string> = {}): Promise<string> =>
  (await get(path, headers)).text();

/** A day that has all its times: in the afternoon, today has only some left. */
const THAT_DAY = `?day=${new Date(Date.now() + 48 * HOUR_MS).toISOString().slice(0, 10)}`;
const WHOLE_DAY = `/book${THAT_DAY}`;

/** The free times that a page offers, as the addresses of its links say them. */
const offered = (page: string): string[] =>
  [...page.matchAll(/class="slot" href="[^"]*[?&;]at=([^"&]+)/g)].map(([, at = '']) =>
    decodeURIComponent(at),
  );

const newAddress = (): string => `ann-${crypto.randomUUID()}@customers.example`;

/** The newest mail to an address, once there is one with this subject. */
async function mailTo(address: string, subject: RegExp): Promise<{ text: string; calendar: string }> {
  const find = async () =>
    (await app.resources.mailer.kept(100)).find((mail) => mail.to === address && subject.test(mail.subject));
  await expect
    .poll(async () => {
      await tellBookings(app.resources);
      return (await find())?.subject;
    })
    .toMatch(subject);
  const { text = '', calendar = '' } = (await find()) ?? {};
  return { text, calendar };
}

/** Subjects of the mails that an address got. */
const mailsTo = async (address: string): Promise<string[]> =>
  (await app.resources.mailer.kept(100)).filter(({ to }) => to === address).map(({ subject }) => subject);

/** Asks for a time as the form does. Returns the path of the link in the mail. */
async function ask(at: string, email = newAddress(), path = '/book'): Promise<string> {
  const sent = await post(path, { at, email, ...ANN });
  expect(sent.status).toBe(303);
  const { text } = await mailTo(email, /^Please confirm your call: /);
  return /\/booking\/confirm\?r=[\w-]+/.exec(text)?.[0] ?? '';
}

/** Asks and proves. Returns the path of the booking's own page. */
async function bookAt(at: string, email = newAddress(), path = '/book'): Promise<string> {
  const proven = await post(await ask(at, email, path), {});
  expect(proven.status).toBe(303);
  return proven.headers.get('location') ?? '';
}

const firstFree = async (path = '/book'): Promise<string> => offered(await html(path))[0] ?? '';

describe('a visitor', () => {
  test('books a free time with the link of a mail, which holds the time meanwhile, and moves and cancels it', async () => {
    claims('It takes … minutes.');
    const shown = await html(WHOLE_DAY);
    expect(shown).toContain('Choose a time, and a colleague calls you.');
    const [at = '', other = ''] = offered(shown);
    expect(await html(`/book?at=${encodeURIComponent(at)}`)).toContain(
      'Open it within 15 minutes to book the call; the time is held for you meanwhile.',
    );
    const email = newAddress();
    const sent = await post('/book', { at, email, ...ANN });
    const after = await html(sent.headers.get('location') ?? '');
    expect(after).toContain(`We have sent a link to ${email}.`);
    expect(after).toContain('The time is held for you until ');
    expect(after).toContain('If no mail comes in a few minutes, look among the unwanted mails');
    expect(offered(await html(WHOLE_DAY))).not.toContain(at);

    const { text } = await mailTo(email, /^Please confirm your call: /);
    expect(text).toContain('If you did not ask for this, do nothing: then nothing is booked.');
    expect(text).not.toContain(ANN.name);
    const proof = /\/booking\/confirm\?r=[\w-]+/.exec(text)?.[0] ?? '';
    // Programs follow the links of mails: that alone books nothing.
    expect(await html(proof)).toContain('Book this call?');
    expect(await app.resources.database.many('select id from northline_app.bookings')).toEqual([]);
    const proven = await post(proof, {});
    const own = proven.headers.get('location') ?? '';
    expect([proven.status, own]).toEqual([303, expect.stringContaining('/booking?b=')]);
    expect((await post(proof, {})).headers.get('location')).toBe(own);
    expect((await get(proof)).headers.get('location')).toBe(own);
    expect(await html(sent.headers.get('location') ?? '')).toContain('Your call is booked already.');

    const { calendar } = await mailTo(email, /^Your call is booked: /);
    const event = new ICAL.Event(
      new ICAL.Component(ICAL.parse(calendar)).getFirstSubcomponent('vevent') ?? undefined,
    );
    expect(event.startDate.toJSDate().toISOString()).toBe(at);
    const agency = await mailTo(app.resources.settings.CONTACT_EMAIL, /^Call booked: Ann Wood/);
    expect(agency.text).toContain(`Address: ${email}`);

    expect(await html(own)).toContain('Your call is booked');
    expect((await post(own, { do: 'move', changes: '0', start: other })).status).toBe(303);
    expect(await html(own)).toContain('Your call is moved');
    expect(offered(await html(WHOLE_DAY))).toContain(at);
    expect((await post(own, { do: 'cancel', changes: '1' })).status).toBe(303);
    const gone = await html(own);
    expect(gone).toContain('Your call is cancelled');
    expect(gone).toContain('Nobody calls you then.');
    expect(offered(await html(WHOLE_DAY))).toContain(other);
  });

  test('who is the second for a time reads so, with the next free times, and books one of them', async () => {
    const [at = '', next = ''] = offered(await html(WHOLE_DAY));
    const both = await Promise.all([
      post('/book', { at, email: newAddress(), ...ANN }),
      post('/book', { at, email: newAddress(), ...ANN }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([303, 409]);
    const late = (await both.find(({ status }) => status === 409)?.text()) ?? '';
    expect(late).toContain(' is no longer free.');
    expect(late).toContain('The next free times:');
    expect(offered(late)[0]).toBe(next);
    await bookAt(next);
  });

  test('whose address gets no more mails can still prove it, and nobody says that a mail was sent about the booking', async () => {
    const { database } = app.resources;
    const [at = ''] = offered(await html(WHOLE_DAY));
    const email = newAddress();
    await suppress(database, { address: email, reason: 'operator', source: 'console', detail: '' });
    // The page says that the link was sent, so it is.
    expect((await post(await ask(at, email), {})).status).toBe(303);
    const told = () =>
      database.one(
        'select told_agency, told_caller, confirmed_by from northline_app.bookings where email = $1',
        [email],
      );
    await expect
      .poll(async () => {
        await tellBookings(app.resources);
        return told();
      })
      .toEqual({ told_agency: 0, told_caller: null, confirmed_by: null });
    await expect(mailsTo(email)).resolves.toEqual([expect.stringMatching(/^Please confirm your call: /)]);
  });

  test('whose hold has lapsed still gets the time, unless somebody else has it', async () => {
    const { database } = app.resources;
    const at = await firstFree();
    const [one, other] = [newAddress(), newAddress()];
    const late = await ask(at, one);
    await database.run("update private.booking_holds set until = now() - interval '1 second'");
    const second = await ask(at, other);
    const taken = await post(late, {});
    expect([taken.status, await taken.text()]).toEqual([409, expect.stringContaining(' is no longer free.')]);
    await database.run("update private.booking_holds set until = now() - interval '1 second'");
    expect((await post(second, {})).status).toBe(303);
    // A day later, the link says that it is too old.
    await database.run("update private.booking_requests set created_at = now() - interval '25 hours'");
    expect([(await get(second)).status, await html(late)]).toEqual([
      404,
      expect.stringContaining('more than a day old. Nothing is booked.'),
    ]);
  });

  test('reads which field is wrong, and keeps the others; a form of another site is refused', async () => {
    const at = await firstFree();
    const wrong = await post('/book', { at, name: ' ', email: 'ann@', phone: 'call me' });
    const page = await wrong.text();
    expect(wrong.status).toBe(400);
    for (const sentence of [
      'Please give your name, in 120 characters or fewer.',
      'Please give a mail address such as name@example.com.',
      'Please give a telephone number with its area code, in digits.',
      'Please correct the marked fields.',
    ])
      expect(page).toContain(sentence);
    expect(page).toContain('value="call me"');
    expect((await post('/book', { email: 'x' })).status).toBe(400);
    const foreign = await post(
      '/book',
      { at, email: newAddress(), ...ANN },
      { 'sec-fetch-site': 'cross-site' },
    );
    expect([foreign.status, await foreign.text()]).toEqual([
      403,
      expect.stringContaining('The form was not sent by the booking page.'),
    ]);
    const night = new Date(Date.parse(at) + 3 * DAY_MS);
    night.setUTCHours(2);
    expect((await post('/book', { at: night.toISOString(), email: newAddress(), ...ANN })).status).toBe(409);
    const far = new Date(Date.parse(at) + 40 * DAY_MS).toISOString();
    expect((await get(`/book?at=${far}`)).status).toBe(409);
  });

  test('comes compressed, for every encoding that a browser accepts', async () => {
    for (const encoding of ['br', 'gzip', 'identity']) {
      const page = await get('/book', { 'accept-encoding': encoding });
      expect(page.headers.get('content-encoding') ?? 'identity').toBe(encoding);
      expect(page.headers.get('vary')).toContain('accept-encoding');
      expect(await page.text()).toContain('</html>');
    }
  });

  test('reads the page in the language of the browser or the chosen one, and times in the chosen zone', async () => {
    const german = await html('/book', { 'accept-language': 'de-AT,en;q=0.5' });
    expect(german).toContain('<html lang="de">');
    expect(german).toContain('Wählen Sie eine Zeit; eine Kollegin oder ein Kollege ruft Sie an.');
    const at = await firstFree('/book?zone=America/New_York&lang=de');
    const email = newAddress();
    const sent = await post('/book?zone=America/New_York&lang=de', { at, email, ...ANN });
    expect(await html(sent.headers.get('location') ?? '')).toContain('Sehen Sie in Ihre Mails');
    const { text } = await mailTo(email, /^Bitte bestätigen Sie Ihr Gespräch: /);
    const hour = new Intl.DateTimeFormat('de-DE', {
      timeZone: 'America/New_York',
      hour: '2-digit',
      minute: '2-digit',
    }).format(new Date(at));
    expect(text).toContain(hour);
    const proven = await post(/\/booking\/confirm\?r=[\w-]+/.exec(text)?.[0] ?? '', {});
    expect(await html(proven.headers.get('location') ?? '')).toContain('Ihr Gespräch ist gebucht');
    await mailTo(email, /^Ihr Gespräch ist gebucht: /);
    expect((await get('/book?zone=Mars/Base&lang=xx&day=never&month=13&at=x&nothing=1')).status).toBe(200);
    expect((await get('/book?sent=x')).status).toBe(404);
  });
});

describe('services', () => {
  test('choose whether calls about them can be booked and how long they take; calls of other lengths never overlap', async () => {
    claims(
      'Visitors book at ….',
      'Each service has its own address below it, and the Content page sets how long its calls take.',
    );
    const { site } = app.resources;
    site.install({
      content: {
        services: [
          { name: 'Long Talks', text: 'We talk for an hour.', picture: 'none', callMinutes: 60 },
          { name: 'No Talks', text: 'We write.', picture: 'none', callMinutes: 0 },
        ],
      },
    });
    try {
      const page = await html(`/book/long-talks${THAT_DAY}`);
      expect(page).toContain('60 minutes');
      expect(page).not.toContain('No Talks');
      const none = await get('/book/no-talks');
      expect([none.status, await none.text()]).toEqual([
        404,
        expect.stringContaining('No call can be booked about this.'),
      ]);
      const [, at = ''] = offered(page);
      const own = await bookAt(at, newAddress(), '/book/long-talks');
      expect(await html(own)).toContain('Long Talks');
      const half = new Date(Date.parse(at) + HOUR_MS / 2).toISOString();
      const before = new Date(Date.parse(at) - HOUR_MS / 2).toISOString();
      expect(offered(await html(WHOLE_DAY))).not.toContain(half);
      expect(offered(await html(WHOLE_DAY))).toContain(before);
      expect(offered(await html(`/book/long-talks${THAT_DAY}`))).not.toContain(before);
      // The holds refuse it too, in either order.
      const bookings = openBookings(
        app.resources,
        () => readWeeklyHours('mon-sun 9:00-17:00') ?? new Map(),
        async () => [],
      );
      expect(await bookings.hold('a caller', [new Date(half)])).toEqual([]);
      // A booking of an hour may move by half an hour, into its own time.
      expect((await post(own, { do: 'move', changes: '0', start: half })).status).toBe(303);
      // The service goes: the booking stays with its name.
      site.install({ content: { services: [{ name: 'Other', text: 'Else.', picture: 'none' }] } });
      expect(await html(own)).toContain('Long Talks');
      expect((await get('/book/long-talks')).status).toBe(404);
    } finally {
      site.install({ content: {} });
    }
  });
});

describe('floods', () => {
  test('attack 59: one address gets three mails a day while it proves nothing, and holds one time', async () => {
    const times = offered(await html(WHOLE_DAY));
    const email = newAddress();
    for (const at of times.slice(0, 3)) await ask(at, email);
    const { held } = await app.resources.database.one('select count(*) as held from private.booking_holds');
    expect(Number(held)).toBe(1);
    const more = await post('/book', { at: times[4] ?? '', email: email.toUpperCase(), ...ANN });
    expect([more.status, await more.text()]).toEqual([
      429,
      expect.stringContaining('Too many calls were asked for with this address or from this network.'),
    ]);
    const mails = (await app.resources.mailer.kept(100)).filter((mail) => mail.to === email);
    expect(mails).toHaveLength(3);
  });

  test('attack 59: an address has five calls to come at most, and all strangers together get 200 mails an hour', async () => {
    const { database } = app.resources;
    const email = newAddress();
    await database.run(
      `insert into northline_app.bookings (starts_at, minutes, name, phone, email, confirmed_by, source)
       select now() + make_interval(days => 40 + n), 30, 'A', '1', $1, 'mail', 'page' from generate_series(1, 5) n`,
      [email],
    );
    const [at = '', other = ''] = offered(await html(WHOLE_DAY));
    const refused = await post(await ask(at, email), {});
    expect(refused.status).toBe(429);
    await database.run(
      `insert into private.booking_requests (starts_at, minutes, name, phone, email, zone, language)
       select now(), 30, 'A', '1', 'v' || n || '@customers.example', 'UTC', 'en' from generate_series(1, 200) n`,
    );
    expect((await post('/book', { at: other, email: newAddress(), ...ANN })).status).toBe(429);
  });

  test('attack 59: nothing but our own link proves an address, and the page of the sent mail proves nothing', async () => {
    const email = newAddress();
    const sent = await post('/book', { at: await firstFree(), email, ...ANN });
    const signed = /sent=([\w-]+)/.exec(sent.headers.get('location') ?? '')?.[1] ?? '';
    for (const r of ['', 'x', signed, proofQuery(app.resources.keys, crypto.randomUUID()).slice(2)])
      expect((await post(`/booking/confirm?r=${r}`, {})).status).toBe(404);
    expect(await app.resources.database.many('select id from northline_app.bookings')).toEqual([]);
  });
});

test('the page in a frame is for the named origins only; all others cannot be framed', async () => {
  const policy = async (path: string) => (await get(path)).headers.get('content-security-policy') ?? '';
  expect(await policy('/book-embedded')).toContain(`frame-ancestors ${ORIGIN};`);
  const at = await firstFree('/book-embedded');
  expect(await policy(`/book-embedded?at=${encodeURIComponent(at)}`)).toContain(`frame-ancestors ${ORIGIN};`);
  const sent = await post('/book-embedded', { at, email: newAddress(), ...ANN });
  expect(sent.headers.get('location')).toMatch(/^\/book-embedded\?sent=/);
  for (const path of ['/book', '/booking/confirm?r=x', '/booking?b=x', '/'])
    expect(await policy(path)).toContain("frame-ancestors 'none'");
  for (const path of ['/book', '/book-embedded']) expect(await policy(path)).not.toContain('unsafe');
});

test('reminders come once, a day and an hour before, and not to somebody who has just booked', async () => {
  const { database } = app.resources;
  const insert = async (hours: number, bookedHoursAgo: number, email: string) =>
    (
      await database.one(
        `insert into northline_app.bookings
           (starts_at, minutes, name, phone, email, confirmed_by, created_at, told_agency, told_caller, source)
         values (now() + make_interval(mins => $1), 30, 'Ann', '07700900123', $2, 'mail',
                 now() - make_interval(hours => $3), 0, 0, 'page') returning id`,
        [Math.round(hours * 60), email, bookedHoursAgo],
      )
    ).id;
  const [far, near, both, fresh] = [newAddress(), newAddress(), newAddress(), newAddress()];
  await insert(30, 48, far);
  const id = await insert(23, 48, near);
  await insert(0.9, 48, both);
  await insert(0.8, 0, fresh);
  const to = async () => {
    await Promise.all([remindOfBookings(app.resources), remindOfBookings(app.resources)]);
    const mails = (await app.resources.mailer.kept(100)).filter(({ subject }) =>
      /^Soon: your call on /.test(subject),
    );
    return mails.map((mail) => mail.to).sort();
  };
  expect(await to()).toEqual([near, both].sort());
  expect(await to()).toEqual([near, both].sort());
  await database.run(
    "update northline_app.bookings set starts_at = now() + interval '50 minutes' where id = $1",
    [id],
  );
  expect(await to()).toEqual([near, near, both].sort());
  const [mail] = (await app.resources.mailer.kept(100)).filter((one) => one.to === near);
  expect(mail?.text).toContain(`/booking?${bookingQuery(app.resources.keys, id)}`);
});

test('a customer finds her calls in her account, and only with a proven address', async () => {
  claims('No call is booked.');
  const { client, email } = await signUpPerson(app);
  await bookAt(await firstFree(), email.toUpperCase());
  const own = async () => (await client.functions.invoke('own-bookings', { method: 'GET' })).data;
  await app.resources.database.run('update auth.users set email_proven_at = null where email = $1', [email]);
  expect(await own()).toEqual({ bookings: [] });
  await app.resources.database.run('update auth.users set email_proven_at = now() where email = $1', [email]);
  expect(await own()).toMatchObject({
    bookings: [{ minutes: 30, service: null, href: expect.stringContaining('/booking?b=') }],
  });
});

test('what was asked for and booked is exported and erased with its person', async () => {
  const email = newAddress();
  const [at = '', other = ''] = offered(await html(WHOLE_DAY));
  await bookAt(at, email);
  await ask(other, email);
  const { database } = app.resources;
  const data = await exportPerson(database, { email });
  expect([data['northline_app.bookings']?.length, data['private.booking_requests']?.length]).toEqual([1, 2]);
  await erasePerson(database, { email });
  expect(Object.keys(await exportPerson(database, { email }))).not.toContain('private.booking_requests');
  expect(await database.many('select id from northline_app.bookings')).toEqual([]);
});

test('opening hours that change do not touch what is booked, and a request outside of them is refused', async () => {
  const at = await firstFree();
  const own = await bookAt(at);
  const requests = (hours: string) =>
    openBookingRequests(
      { ...app.resources, jobs: { ...app.resources.jobs, every: () => {} } },
      openBookings(
        app.resources,
        () => readWeeklyHours(hours) ?? new Map(),
        async () => [],
      ),
    );
  const later = await firstFree();
  const id = await requests('mon-sun 9:00-17:00').ask({
    ...{
      start: new Date(later),
      minutes: 30,
      service: null,
      zone: 'UTC',
      language: 'en',
      email: newAddress(),
    },
    ...ANN,
  });
  expect(await requests('').prove(id ?? '')).toBeNull();
  expect(await requests('mon-sun 9:00-17:00').prove(id ?? '')).not.toBeNull();
  expect(await html(own)).toContain('Your call is booked');
});

test('a day with a pause has times before and after it, as the guide writes such hours', () => {
  const hours = readWeeklyHours('mon-thu 9:00-12:30,mon-thu 13:30-17:00,fri 9:00-12:00') ?? new Map();
  const monday = { from: new Date('2026-01-05T00:00:00Z'), until: new Date('2026-01-05T23:00:00Z') };
  const starts = (minutes: number) =>
    [...slotsBetween(hours, 'UTC', { ...monday, minutes }, new Date('2026-01-01T00:00:00Z'))].map((at) =>
      at.toISOString().slice(11, 16),
    );
  expect(starts(60)).toEqual(
    '09:00 09:30 10:00 10:30 11:00 11:30 13:30 14:00 14:30 15:00 15:30 16:00'.split(' '),
  );
  expect(starts(15)).toHaveLength(28);
  expect(isOpenAt(hours, new Date('2026-01-05T13:00:00Z'), 'UTC')).toBe(false);
  expect(isOpenAt(hours, new Date('2026-01-05T12:00:00Z'), 'UTC')).toBe(true);
  expect(sayWeeklyHours(hours)).toBe(
    'Monday to Thursday from 9:00 to 12:30 and from 13:30 to 17:00 and Friday from 9:00 to 12:00',
  );
});

test('when the clocks change, no time is offered twice or lost, and two that look the same say their offset', () => {
  const night = readWeeklyHours('mon-sun 0:00-4:00') ?? new Map();
  const span = (day: string) => ({
    from: new Date(`${day}T00:00:00+01:00`),
    until: new Date(`${day}T04:00:00+01:00`),
  });
  const now = new Date('2026-01-01T00:00:00Z');
  const spring = [
    ...slotsBetween(
      night,
      'Europe/London',
      { from: new Date('2026-03-29T00:00:00Z'), until: new Date('2026-03-29T02:30:00Z') },
      now,
    ),
  ];
  expect(new Set(spring.map(Number)).size).toBe(spring.length);
  expect(spring.every((time, at) => at === 0 || time > (spring[at - 1] ?? time))).toBe(true);
  const autumn = [...slotsBetween(night, 'UTC', span('2026-10-25'), now)];
  const said = sayClocks(autumn, 'Europe/London', 'en');
  expect(new Set(said).size).toBe(said.length);
  expect(said.filter((text) => text.includes('GMT'))).not.toEqual([]);
  expect(sayClocks([new Date('2026-06-01T09:30:00Z')], 'Europe/London', 'en')).toEqual(['10:30']);
});
