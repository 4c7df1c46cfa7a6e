import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import ICAL from 'ical.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { claims } from '../../../tests/support/claims.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { sameName, samePhone, textNumber } from './booking-identity.server.ts';
import { bookingQuery, readBookingLink } from './booking-link.server.ts';
import { tellBookings } from './booking-notices.server.ts';
import { type BookingStore, openBookings } from './booking-store.server.ts';
import { readWeeklyHours } from './weekly-hours.server.ts';

const HOURS = readWeeklyHours('mon-fri 9:00-17:00') ?? new Map();
const DAY_MS = 24 * 3_600_000;
const ANN = { name: 'Ann Wood', phone: '07700 900123' };

let app: TestApp;
let bookings: BookingStore;
/** The requests that the provider of text messages received. */
const texts: URLSearchParams[] = [];
const provider = createServer((request, response) => {
  request.setEncoding('utf8');
  let body = '';
  request.on('data', (part) => {
    body += part;
  });
  request.on('end', () => {
    texts.push(new URLSearchParams(body));
    response.writeHead(201, { 'content-type': 'application/json' }).end('{"sid":"SM1"}');
  });
});
beforeAll(async () => {
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(provider.address() as AddressInfo).port}`;
  app = await startTestApp({
    settings: {
      RATE_LIMITS: 'on',
      VOICE_HOURS: 'mon-fri 9:00-17:00',
      SMS_URL: `http://AC01:token@${host}?from=+15550100`,
      OUTBOUND_ALLOW_HOSTS: host,
    },
  });
  bookings = openBookings(
    app.resources,
    () => HOURS,
    async () => [],
  );
});
afterAll(async () => {
  await app?.close();
  provider.close();
});
beforeEach(async () => {
  const { database } = app.resources;
  await database.run('delete from northline_app.bookings');
  await database.run('delete from private.booking_holds');
  await database.run('delete from private.mails');
});

const calls = { first: crypto.randomUUID(), second: crypto.randomUUID() };
const soon = (holder: string, count: number) =>
  bookings.freeTimes(holder, { from: new Date(), until: new Date(Date.now() + 30 * DAY_MS) }, count);

/** Books as a call does whose record no longer exists. */
async function book(start: Date, who = ANN, email?: string): Promise<string> {
  const { id } = await app.resources.database.one(
    `insert into northline_app.bookings (starts_at, minutes, name, phone) values ($1, 30, $2, $3) returning id`,
    [start, who.name, who.phone],
  );
  if (email !== undefined) await bookings.confirmTo(id, email);
  return id;
}

/**
 * The mails to a person, newest first, once there are `count` of them; the product's own round sends some.
 */
async function mails(
  to: string,
  count: number,
): Promise<{ subject: string; text: string; calendar: string }[]> {
  const kept = async () => (await app.resources.mailer.kept(50)).filter((mail) => mail.to === to);
  await expect
    .poll(async () => {
      await tellBookings(app.resources);
      return (await kept()).length;
    })
    .toBe(count);
  return (await kept()).map(({ subject, text, calendar = '' }) => ({ subject, text, calendar }));
}

const eventOf = (entry: string) =>
  new ICAL.Event(new ICAL.Component(ICAL.parse(entry)).getFirstSubcomponent('vevent') ?? undefined);
const page = (id: string, form?: Record<string, string>) =>
  fetch(`${app.url}/booking?${bookingQuery(app.resources.keys, id)}`, {
    redirect: 'manual',
    ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
  });

describe('a time that a caller is deciding on', () => {
  test('is held for that caller: nobody else is offered it or takes it, until the hold ends', async () => {
    const [one] = await soon(calls.first, 1);
    if (!one) throw new Error('no time is free');
    expect(await bookings.hold(calls.first, [one])).toEqual([one]);
    expect((await soon(calls.second, 1))[0]).not.toEqual(one);
    expect((await soon(calls.first, 1))[0]).toEqual(one);
    expect(await bookings.hold(calls.second, [one])).toEqual([]);
    expect(await bookings.book(calls.second, { start: one, ...ANN }, calls.second)).toBeNull();
    await app.resources.database.run("update private.booking_holds set until = now() - interval '1 second'");
    expect((await soon(calls.second, 1))[0]).toEqual(one);
    expect(await bookings.hold(calls.second, [one])).toEqual([one]);
    expect(await bookings.hold(calls.first, [one])).toEqual([]);
  });

  test('two callers in the same second: one gets each time, whatever order they ask in', async () => {
    const times = await soon(calls.first, 6);
    for (let round = 0; round < 5; round++) {
      await app.resources.database.run('delete from private.booking_holds');
      const [one, other] = await Promise.all([
        bookings.hold(calls.first, times),
        bookings.hold(calls.second, [...times].reverse()),
      ]);
      expect([...one, ...other].map(Number).sort()).toEqual(times.map(Number).sort());
    }
  });

  test('is released when another is chosen', async () => {
    const [one, other] = await soon(calls.first, 2);
    if (!one || !other) throw new Error('no two times are free');
    await bookings.hold(calls.first, [one]);
    await bookings.hold(calls.first, [other]);
    expect((await soon(calls.second, 1))[0]).toEqual(one);
  });
});

describe('the person who booked', () => {
  test('gets the confirmation, each change and the cancellation by mail, for the same calendar entry', async () => {
    claims('Books, moves and cancels appointments, and confirms them by mail.');
    const [one, other] = await soon(calls.first, 2);
    if (!one || !other) throw new Error('no two times are free');
    const id = await book(one, ANN, 'ann@customers.example');
    const [booked] = await mails('ann@customers.example', 1);
    expect(booked?.subject).toMatch(/^Your call is booked: /);
    expect(booked?.text).toContain(`/booking?${bookingQuery(app.resources.keys, id)}`);
    expect(booked?.text).toContain('A colleague calls you on ');
    expect(booked?.text).toContain('The call takes 30 minutes.');
    expect(booked?.text).toContain(
      'If you did not book this, somebody gave your address by mistake: cancel it, or leave it.',
    );
    expect(booked?.text).toContain('The entry for your calendar is attached.');
    expect(booked?.text).not.toContain(ANN.name);
    expect(booked?.calendar).toContain('METHOD:REQUEST');
    expect(eventOf(booked?.calendar ?? '').startDate.toJSDate()).toEqual(one);

    expect(await bookings.move(calls.first, { id, by: 'call' }, other)).toBe('moved');
    const [moved] = await mails('ann@customers.example', 2);
    expect(moved?.subject).toMatch(/^Your call is moved: /);
    expect(await bookings.cancel({ id, by: 'call' })).toBe(true);
    const [cancelled] = await mails('ann@customers.example', 3);
    expect(cancelled?.text).toContain('The call with us on ');
    expect(cancelled?.text).toContain('is cancelled. Nobody calls you then.');
    expect(cancelled?.calendar).toContain('METHOD:CANCEL');
    const entries = [booked, moved, cancelled].map((mail) => eventOf(mail?.calendar ?? ''));
    expect(new Set(entries.map(({ uid }) => uid)).size).toBe(1);
    expect(entries.map(({ sequence }) => sequence)).toEqual([0, 1, 2]);
    expect(
      (await mails(app.resources.settings.CONTACT_EMAIL, 3)).map(({ subject }) => subject.slice(0, 14)),
    ).toEqual(['Call cancelled', 'Call moved: An', 'Call booked: A']);
  });

  test('gets text messages instead where the number can be texted, three bookings a day', async () => {
    const { id: callId } = await app.resources.database.one(
      "insert into private.voice_records (kind, body) values ('call', '{}') returning id",
    );
    const booked = [];
    for (const start of await soon(callId, 4))
      booked.push(await bookings.book(callId, { start, name: 'Bo', phone: '+44 7400 123456' }, callId));
    expect(booked.map((one) => one?.confirmedBy)).toEqual(['text', 'text', 'text', null]);
    const id = booked[0]?.id ?? '';
    const said = () => texts.map((form) => form.get('Body') ?? '');
    const link = `Move or cancel it: ${app.url}/booking?${bookingQuery(app.resources.keys, id)}`;
    await expect.poll(() => said().filter((text) => text.includes(link))).toHaveLength(1);
    expect(said().find((text) => text.includes(link))).toContain(': your call is booked for ');
    expect(await bookings.cancel({ id, by: 'call' })).toBe(true);
    await expect.poll(() => said().filter((text) => text.includes(': your call on '))).toHaveLength(1);
    expect(texts[0]?.get('To')).toBe('+447400123456');

    // The account that has verified the number has chosen a language.
    const [, second] = booked;
    if (!second) throw new Error('there is no second booking');
    await app.resources.database.run(
      `insert into auth.users (id, phone, phone_confirmed_at, raw_user_meta_data)
       values (gen_random_uuid(), '447400123456', now(), '{"locale": "de"}')`,
    );
    const [free] = await soon(callId, 1);
    if (free === undefined) throw new Error('no time is free');
    expect(await bookings.move(callId, { id: second.id, by: 'call' }, free)).toBe('moved');
    await expect
      .poll(() => said().filter((text) => text.includes('Ihr Gespräch ist verschoben: ')))
      .toHaveLength(1);
    await app.resources.database.run("delete from auth.users where phone = '447400123456'");
    const [later] = await soon(callId, 1);
    expect(await bookings.move(callId, { id: second.id, by: 'call' }, later ?? free)).toBe('moved');
    await expect
      .poll(() => said().filter((text) => text.includes(': your call is moved to ')))
      .toHaveLength(1);
  });

  test('gets only one notice when two people changed the booking at once, and a cancelled call does not come back', async () => {
    const [one, other] = await soon(calls.first, 2);
    if (!one || !other) throw new Error('no two times are free');
    const id = await book(one);
    const done = await Promise.all([
      bookings.cancel({ id, by: 'link', changes: 0 }),
      bookings.move(`booking ${id}`, { id, by: 'link', changes: 0 }, other),
    ]);
    expect([done[0], done[1] === 'moved'].filter(Boolean)).toHaveLength(1);
    await app.resources.database.run(
      "update northline_app.bookings set state = 'cancelled' where state = 'booked'",
    );
    expect(await bookings.move(`booking ${id}`, { id, by: 'call' }, other)).toBe('gone');
    await expect(
      app.resources.database.run("update northline_app.bookings set state = 'booked' where id = $1", [id]),
    ).rejects.toThrow('does not change');
  });

  test('no more than three bookings of a day are confirmed to one address, which may be a stranger’s', async () => {
    const times = await soon(calls.first, 4);
    const last = times.pop();
    for (const time of times) await book(time, ANN, 'Victim@customers.example');
    const id = await book(last ?? new Date());
    await expect(bookings.confirmTo(id, 'victim@customers.example')).rejects.toMatchObject({
      code: 'too_many_confirmations',
    });
  });

  test('is recognised by name and number together, even misheard and misspelt', async () => {
    claims('A booking keeps the name, the number or address and the time that you gave.');
    const [one] = await soon(calls.first, 1);
    const id = await book(one ?? new Date());
    expect(await bookings.find('ann wood', '+44 7700 900123')).toMatchObject({ id });
    expect(await bookings.find('Anne Wood', '07700900123')).toMatchObject({ id });
    for (const [name, phone] of [
      ['Ann', '07700900123'],
      ['Bob Wood', '07700900123'],
      ['Ann Wood', '07700900124'],
      ['Ann Wood', '23'],
      ['', ''],
    ] as const)
      expect(await bookings.find(name, phone)).toBeNull();
    expect([samePhone('12345', '12345'), samePhone('', ''), samePhone('112345', '12345')]).toEqual([
      true,
      false,
      false,
    ]);
    expect(sameName('Bo', 'Jo')).toBe(false);
  });

  test('gets text messages only where a provider is set up and the country of the number is known', () => {
    const SMS_URL = 'https://a:b@sms.example?from=+15550100';
    const given = [
      [{ SMS_URL: '', VOICE_COUNTRY: 'GB' }, '+447700900123'],
      [{ SMS_URL, VOICE_COUNTRY: '' }, '07700900123'],
      [{ SMS_URL, VOICE_COUNTRY: 'GB' }, '07400 123456'],
      [{ SMS_URL, VOICE_COUNTRY: '' }, '0044 7400 123456'],
      [{ SMS_URL, VOICE_COUNTRY: 'GB' }, '12345'],
    ] as const;
    expect(given.map(([settings, phone]) => textNumber(settings, phone))).toEqual([
      null,
      null,
      '447400123456',
      '447400123456',
      null,
    ]);
  });
});

describe('the link of a booking', () => {
  test('shows it, moves it and cancels it, without script or account; a reload asks for nothing again', async () => {
    const [one, other, third] = await soon(calls.first, 3);
    if (!one || !other || !third) throw new Error('no three times are free');
    const id = await book(one);
    await bookings.hold(calls.second, [third]);
    const shown = await (await page(id)).text();
    expect(shown).toContain('Your call is booked');
    expect(shown).toContain('the number that ends in 123');
    expect(shown).not.toMatch(/<script|Ann Wood|07700/);
    expect(shown).toContain(other.toISOString());
    expect(shown).not.toContain(third.toISOString());

    const moved = await page(id, { do: 'move', changes: '0', start: other.toISOString() });
    expect([moved.status, moved.headers.get('location')]).toEqual([
      303,
      `/booking?${bookingQuery(app.resources.keys, id)}`,
    ]);
    expect(await (await page(id)).text()).toContain('Your call is moved');
    const again = await page(id, { do: 'cancel', changes: '0' });
    expect([again.status, await again.text()]).toEqual([
      409,
      expect.stringContaining('Nothing has changed: the call was changed in the meantime'),
    ]);
    const held = await page(id, { do: 'move', changes: '1', start: third.toISOString() });
    expect([held.status, await held.text()]).toEqual([
      409,
      expect.stringContaining('That time is no longer free. Your call has not changed'),
    ]);
    const night = new Date(one.getTime() - 9 * 3_600_000).toISOString();
    expect((await page(id, { do: 'move', changes: '1', start: night })).status).toBe(409);
    expect((await page(id, { do: 'cancel', changes: '1' })).status).toBe(303);
    expect(await (await page(id)).text()).toContain('Nobody calls you then.');
    expect(await bookings.get(id)).toMatchObject({ state: 'cancelled', changes: 2 });
    const entry = await fetch(`${app.url}/booking.ics?${bookingQuery(app.resources.keys, id)}`);
    expect(entry.headers.get('content-type')).toContain('text/calendar');
    expect(eventOf(await entry.text()).component.getFirstPropertyValue('status')).toBe('CANCELLED');
  });

  test('attack 59: a guessed, changed or foreign link opens nothing, and attempts are limited', async () => {
    const [one] = await soon(calls.first, 1);
    const id = await book(one ?? new Date());
    const good = bookingQuery(app.resources.keys, id).slice(2);
    const swap = (text: string) => (text.startsWith('A') ? `B${text.slice(1)}` : `A${text.slice(1)}`);
    const bad = [
      '',
      'x',
      good.slice(0, -1),
      swap(good),
      good.slice(0, 22) + swap(good.slice(22)),
      `${good}A`,
    ];
    for (const token of bad) {
      expect(readBookingLink(app.resources.keys, token)).toBeUndefined();
      const answer = await fetch(`${app.url}/booking?b=${token}`, {
        method: 'POST',
        body: new URLSearchParams({ do: 'cancel', changes: '0' }),
      });
      expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('no such booking')]);
    }
    expect(await bookings.get(id)).toMatchObject({ state: 'booked' });
    for (const start of ['never', '0000-01-01T00:00:00Z'])
      expect((await page(id, { do: 'move', changes: '0', start })).status).toBe(400);
    const looks = await Promise.all(Array.from({ length: 150 }, () => fetch(`${app.url}/booking?b=x`)));
    expect(looks.map(({ status }) => status)).toContain(429);
  });
});
