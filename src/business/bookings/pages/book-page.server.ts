import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { isTimeZone } from '../../../kernel/config/setting-rules.ts';
import { isEmail } from '../../../kernel/contract/email-address.ts';
import { escapeHtml } from '../../../kernel/contract/html-escape.ts';
import { LANGUAGES, type Language, languageOf } from '../../../kernel/contract/languages.ts';
import { BOOK_PATH } from '../../../kernel/contract/routes.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { servicePages } from '../../../kernel/contract/service-pages.ts';
import { USUAL_CALL_MINUTES } from '../../../kernel/contract/site-content.ts';
import { calendarDay, utcMoment } from '../../../kernel/contract/times.ts';
import { networkKey } from '../../../kernel/http/client-address.ts';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import { sendCompressed } from '../../../kernel/http/site/static-representation.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import {
  BOOKING_PATH,
  bookingQuery,
  PROOF_PATH,
  proofQuery,
  readProof,
  readSent,
  sentQuery,
} from '../booking-link.server.ts';
import type { BookingRequests } from '../booking-requests.server.ts';
import { type BookingStore, LONGEST_NAME, LONGEST_PHONE } from '../booking-store.server.ts';
import { bookingWords } from '../booking-words.server.ts';
import {
  type BookableCall,
  type BookFields,
  type BookVisit,
  choosePage,
  detailsPage,
  provePage,
  sentPage,
  shortPage,
  takenNotice,
} from './book-page-view.server.ts';
import { dayOf } from './booking-calendar-view.server.ts';
import { bookingHeaders } from './booking-layout.server.ts';

/** The booking page in a frame of another site. */
export const EMBEDDED_PATH = '/book-embedded';
/** Limits for looking and for asking: of an address, and of the network around it. */
const LOOKS = { name: 'book-look', count: 120, seconds: 60 };
const ASKS = { name: 'book-ask', count: 10, seconds: 3600 };
const ASKS_OF_NETWORK = { name: 'book-ask-network', count: 40, seconds: 3600 };
const PROOFS = { name: 'book-prove', count: 30, seconds: 600 };
const HORIZON_MS = 30 * 24 * 3_600_000;
const MOST_TIMES = 3000;
const NEXT_TIMES = 3;
const FORM_BYTES = 4096;
const LONGEST_ZONE = 64;
/** A number with its area code, in digits and the marks between them. */
const PHONE = /^\+?[\d\s()./-]{6,40}$/;
const FEWEST_DIGITS = 6;
const CONTROL = /[\p{Cc}\u2028\u2029]/u;

const QUERY = z.object({
  zone: z.string().max(LONGEST_ZONE).refine(isTimeZone).optional().catch(undefined),
  lang: z.enum(LANGUAGES).optional().catch(undefined),
  // The day of a time, too: the way back from a time leads to its day.
  day: z.union([calendarDay, utcMoment]).optional().catch(undefined),
  month: z
    .string()
    .regex(/^20\d\d-(0[1-9]|1[0-2])$/)
    .optional()
    .catch(undefined),
  at: utcMoment.optional().catch(undefined),
  sent: z.string().max(80).optional().catch(undefined),
});
type BookQuery = z.output<typeof QUERY>;
const FORM = z.object({
  at: utcMoment,
  name: z.string().default(''),
  email: z.string().default(''),
  phone: z.string().default(''),
});

const EMPTY: BookFields = { name: '', email: '', phone: '', wrong: [] };

/** The kinds of calls that visitors can book now: one about anything, and one for each service that allows it. */
function bookableCalls({ site }: Resources): readonly BookableCall[] {
  const services = servicePages(site.content).filter(({ callMinutes }) => callMinutes > 0);
  return [
    { slug: '', service: null, lead: '', minutes: USUAL_CALL_MINUTES },
    ...services.map(({ slug, name, lead, callMinutes }) => ({
      slug,
      service: name,
      lead,
      minutes: callMinutes,
    })),
  ];
}

/**
 * `/book` and `/book/SERVICE`: visitors choose a free time, give their name, address and number, and book with
 * the link of a mail (`/booking/confirm?r=…`). `/book-embedded` is the same page for the frames of the origins in
 * BOOKING_EMBED_ORIGINS; nobody else can frame it. The pages work without scripts.
 */
export function mountBookPage(
  http: HttpContext,
  resources: Resources,
  bookings: BookingStore,
  requests: BookingRequests,
): void {
  const page = new BookPage(http, resources, bookings, requests);
  http.server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: FORM_BYTES }, (_request, body, done) =>
      done(null, body),
    );
    const embeds = resources.settings.BOOKING_EMBED_ORIGINS.length > 0;
    for (const base of embeds ? [BOOK_PATH, EMBEDDED_PATH] : [BOOK_PATH])
      for (const path of [base, `${base}/:service`]) {
        scope.get(path, (request, reply) => page.show(request, reply, base));
        scope.post(path, (request, reply) => page.ask(request, reply, base));
      }
    scope.get(PROOF_PATH, (request, reply) => page.showProof(request, reply));
    scope.post(PROOF_PATH, (request, reply) => page.prove(request, reply));
  });
}

class BookPage {
  readonly #http: HttpContext;
  readonly #resources: Resources;
  readonly #bookings: BookingStore;
  readonly #requests: BookingRequests;
  /** Names of all time zones; the list is long, and the same for all. */
  readonly #zones = ['UTC', ...Intl.supportedValuesOf('timeZone')];

  constructor(http: HttpContext, resources: Resources, bookings: BookingStore, requests: BookingRequests) {
    this.#http = http;
    this.#resources = resources;
    this.#bookings = bookings;
    this.#requests = requests;
  }

  /** The days and times of a kind of call, the form for one of them, or the state of what was asked for. */
  async show(request: FastifyRequest, reply: FastifyReply, base: string): Promise<FastifyReply> {
    await this.#http.rateLimiter.take(LOOKS, this.#http.addressOf(request));
    const query = QUERY.parse(request.query);
    const visit = this.#visitOf(request, base, query);
    if (query.sent !== undefined) return this.#showSent(reply, visit, query.sent);
    const call = this.#callOf(request);
    if (call === undefined) return this.#noService(reply, visit);
    if (query.at === undefined) return this.#choose(reply, { visit, call }, query);
    const start = new Date(query.at);
    if (await this.#isFree(start, call.minutes))
      return this.#send(reply, visit, detailsPage(visit, call, start, EMPTY));
    return this.#taken(reply, visit, call, start);
  }

  /** The visitor gives an address: the time is held, and the address gets the link that books it. */
  async ask(request: FastifyRequest, reply: FastifyReply, base: string): Promise<FastifyReply> {
    refuseOtherSites(request);
    const address = this.#http.addressOf(request);
    await this.#http.rateLimiter.take(LOOKS, address);
    const query = QUERY.parse(request.query);
    const visit = this.#visitOf(request, base, query);
    const call = this.#callOf(request);
    if (call === undefined) return this.#noService(reply, visit);
    const form = FORM.safeParse(Object.fromEntries(new URLSearchParams(String(request.body ?? ''))));
    if (!form.success) return this.#choose(reply.code(400), { visit, call }, query);
    const start = new Date(form.data.at);
    const fields = readFields(form.data);
    if (fields.wrong.length > 0)
      return this.#send(reply.code(400), visit, detailsPage(visit, call, start, fields));
    if (!(await this.#isFree(start, call.minutes))) return this.#taken(reply, visit, call, start);
    const { minutes, service } = call;
    const { language, zone } = visit;
    const { name, email, phone } = fields;
    const id = await this.#limited(reply, visit, async () => {
      await this.#http.rateLimiter.take(ASKS, address);
      await this.#http.rateLimiter.take(ASKS_OF_NETWORK, networkAround(address));
      return {
        id: await this.#requests.ask({ start, minutes, service, name, email, phone, language, zone }),
      };
    });
    if (id === undefined) return reply;
    if (id.id === null) return this.#taken(reply, visit, call, start);
    // A redirect, so that reloading the page does not send the form again.
    const { zone: chosen, lang } = query;
    const kept = new URLSearchParams({ ...(chosen && { zone: chosen }), ...(lang && { lang }) });
    return reply.redirect(
      `${base}?${sentQuery(this.#resources.keys, id.id)}${kept.size === 0 ? '' : `&${kept}`}`,
      303,
    );
  }

  async showProof(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { found, visit } = await this.#proofOf(request);
    if (found === null) return this.#tooOld(reply, visit);
    const { keys } = this.#resources;
    if (found.bookingId !== null)
      return reply.redirect(`${BOOKING_PATH}?${bookingQuery(keys, found.bookingId)}`, 303);
    return this.#send(reply, visit, provePage(visit, found, proofQuery(keys, found.id)), false);
  }

  async prove(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { found, visit } = await this.#proofOf(request);
    if (found === null) return this.#tooOld(reply, visit);
    const proven = await this.#limited(reply, visit, async () => ({
      id: await this.#requests.prove(found.id),
    }));
    if (proven === undefined) return reply;
    if (proven.id !== null)
      return reply.redirect(`${BOOKING_PATH}?${bookingQuery(this.#resources.keys, proven.id)}`, 303);
    const call = bookableCalls(this.#resources).find(({ service }) => service === found.service) ?? {
      ...{ slug: '', service: null, lead: '', minutes: found.minutes },
    };
    return this.#taken(reply, visit, call, found.start);
  }

  async #proofOf(request: FastifyRequest) {
    await this.#http.rateLimiter.take(PROOFS, this.#http.addressOf(request));
    const { r } = z
      .object({ r: z.string().max(80).catch('') })
      .parse({ r: '', ...(request.query as object) });
    const id = readProof(this.#resources.keys, r);
    const found = id === undefined ? null : await this.#requests.get(id);
    const known = found === null ? {} : { zone: found.zone, lang: found.language };
    return { found, visit: this.#visitOf(request, BOOK_PATH, { ...QUERY.parse(request.query), ...known }) };
  }

  /** Runs `work`; a visitor who asked too often reads so. Returns undefined when the reply was sent. */
  async #limited<Result>(
    reply: FastifyReply,
    visit: BookVisit,
    work: () => Promise<Result>,
  ): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status !== 429) throw error;
      const words = bookingWords(visit.language);
      reply.headers(error.headers ?? {});
      await this.#send(reply.code(429), visit, shortPage(visit, words.title, `<p>${words.tooMany}</p>`));
      return undefined;
    }
  }

  async #showSent(reply: FastifyReply, visit: BookVisit, sent: string): Promise<FastifyReply> {
    const id = readSent(this.#resources.keys, sent);
    const found = id === undefined ? null : await this.#requests.get(id);
    return found === null
      ? this.#tooOld(reply, visit)
      : this.#send(reply, visit, sentPage(visit, found), false);
  }

  async #choose(
    reply: FastifyReply,
    { visit, call }: { visit: BookVisit; call: BookableCall },
    { day, month }: BookQuery,
    notice = '',
  ): Promise<FastifyReply> {
    const { free, until } = await this.#freeTimes(call.minutes);
    const { zone } = visit;
    const chosen = day !== undefined && day.length > 10 ? dayOf(new Date(day), zone) : day;
    const inReach = (text: string | undefined, length: number): string | undefined =>
      text !== undefined &&
      text >= dayOf(new Date(), zone).slice(0, length) &&
      text <= dayOf(until, zone).slice(0, length)
        ? text
        : undefined;
    const shown = { free, until, day: inReach(chosen, 10), month: inReach(month, 7), zones: this.#zones };
    return this.#send(reply, visit, choosePage(visit, call, shown, notice));
  }

  async #taken(
    reply: FastifyReply,
    visit: BookVisit,
    call: BookableCall,
    start: Date,
  ): Promise<FastifyReply> {
    const { free } = await this.#freeTimes(call.minutes);
    const later = free.filter((time) => time > start);
    const next = (later.length === 0 ? free : later).slice(0, NEXT_TIMES);
    const notice = takenNotice(visit, call, start, next);
    const day = next[0]?.toISOString();
    return this.#choose(reply.code(409), { visit, call }, { day }, notice);
  }

  #noService(reply: FastifyReply, visit: BookVisit): FastifyReply {
    const words = bookingWords(visit.language);
    const body = `<p>${words.noService}</p><p><a href="${escapeHtml(visit.linkTo(''))}">${words.allServices}</a></p>`;
    return this.#send(reply.code(404), visit, shortPage(visit, words.title, body), false);
  }

  #tooOld(reply: FastifyReply, visit: BookVisit): FastifyReply {
    const words = bookingWords(visit.language);
    const body = `<p>${words.old}</p><p><a href="${escapeHtml(visit.linkTo(''))}">${words.title}</a></p>`;
    return this.#send(reply.code(404), visit, shortPage(visit, words.oldTitle, body), false);
  }

  #send(reply: FastifyReply, { embedded }: BookVisit, html: string, isPublic = true): FastifyReply {
    const embedders = embedded ? this.#resources.settings.BOOKING_EMBED_ORIGINS : [];
    reply.headers(bookingHeaders({ embedders, isPublic }));
    return isPublic ? sendCompressed(reply.request, reply, html) : reply.send(html);
  }

  #visitOf(request: FastifyRequest, base: string, { zone, lang }: BookQuery): BookVisit {
    const { settings } = this.#resources;
    const kept = { ...(zone && { zone }), ...(lang && { lang }) };
    return {
      agency: this.#resources,
      contact: settings.CONTACT_EMAIL,
      language: lang ?? languageOfBrowser(request),
      zone: zone ?? settings.TIME_ZONE,
      embedded: base === EMBEDDED_PATH,
      calls: bookableCalls(this.#resources),
      linkTo: (slug, chosen = {}) => {
        const query = new URLSearchParams({ ...kept, ...chosen });
        return `${base}${slug === '' ? '' : `/${slug}`}${query.size === 0 ? '' : `?${query}`}`;
      },
    };
  }

  /** The kind of call that the address names; undefined when visitors cannot book it. */
  #callOf({ params }: FastifyRequest): BookableCall | undefined {
    const { service = '' } = params as { service?: string };
    return bookableCalls(this.#resources).find(({ slug }) => slug === service);
  }

  async #freeTimes(minutes: number): Promise<{ free: readonly Date[]; until: Date }> {
    const until = new Date(Date.now() + HORIZON_MS);
    return {
      until,
      free: await this.#bookings.freeTimes('page', { from: new Date(), until, minutes }, MOST_TIMES),
    };
  }

  async #isFree(start: Date, minutes: number): Promise<boolean> {
    if (start.getTime() > Date.now() + HORIZON_MS) return false;
    const free = await this.#bookings.freeTimes('page', { from: start, until: start, minutes }, 1);
    return free.length > 0;
  }
}

/** A form that another site sends from its visitor's browser is refused: it would mail in that visitor's name. */
function refuseOtherSites({ headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    throw new ServiceError(403, 'other_site', 'The form was not sent by the booking page.');
}

/** The first language that the browser prefers. */
const languageOfBrowser = ({ headers }: FastifyRequest): Language =>
  languageOf(headers['accept-language']?.split(/[,;]/)[0]);

/** The 256 addresses around an IPv4 address; of an IPv6 address the network of 48 bits. */
function networkAround(address: string): string {
  const four = /^(?:::ffff:)?(\d+\.\d+\.\d+)\.\d+$/.exec(address)?.[1];
  return four === undefined ? networkKey(address) : `${four}/24`;
}

function readFields({ name, email, phone }: z.output<typeof FORM>): BookFields {
  const given = { name: name.trim(), email: email.trim(), phone: phone.trim() };
  const digits = given.phone.replace(/\D/g, '').length;
  const rules = {
    name: given.name !== '' && given.name.length <= LONGEST_NAME && !CONTROL.test(given.name),
    email: isEmail(given.email),
    phone: PHONE.test(given.phone) && given.phone.length <= LONGEST_PHONE && digits >= FEWEST_DIGITS,
  };
  const wrong = (['name', 'email', 'phone'] as const).filter((key) => !rules[key]);
  return { ...given, wrong };
}
