import { escapeHtml } from '../../../kernel/contract/html-escape.ts';
import type { Language } from '../../../kernel/contract/languages.ts';
import { PAGES } from '../../../kernel/contract/routes.ts';
import type { Agency } from '../../../kernel/resources/resources.ts';
import { PROOF_PATH } from '../booking-link.server.ts';
import { type BookingRequest, PROOF_MINUTES } from '../booking-requests.server.ts';
import { bookingWords } from '../booking-words.server.ts';
import { writeTime } from '../zoned-time.server.ts';
import { calendarView } from './booking-calendar-view.server.ts';
import { bookingFrame } from './booking-layout.server.ts';

/** A kind of call that visitors can book. */
export interface BookableCall {
  /** The last part of its address; empty for a call about anything. */
  readonly slug: string;
  /** The service; null for a call about anything. */
  readonly service: string | null;
  /** One sentence about the service. */
  readonly lead: string;
  readonly minutes: number;
}

/** For whom a page is. */
export interface BookVisit {
  readonly agency: Agency;
  /** The agency's address, for everything that the page cannot do. */
  readonly contact: string;
  readonly language: Language;
  /** IANA name of the time zone in which times are shown. */
  readonly zone: string;
  /** In a frame of another site. */
  readonly embedded: boolean;
  /** The address of a kind of call, with what the visitor has chosen so far. */
  readonly linkTo: (slug: string, chosen?: Readonly<Record<string, string>>) => string;
  /** Every kind of call. */
  readonly calls: readonly BookableCall[];
}

/** What the visitor typed, and what is wrong with it. */
export interface BookFields {
  readonly name: string;
  readonly email: string;
  readonly phone: string;
  readonly wrong: readonly ('name' | 'email' | 'phone')[];
}

const ICONS = {
  clock: '<circle cx="12" cy="12" r="9"/><path d="M12 7v5l3 2"/>',
  phone:
    '<path d="M6 3h3l2 5-2.5 1.5a11 11 0 0 0 6 6L16 13l5 2v3a3 3 0 0 1-3 3A15 15 0 0 1 3 6a3 3 0 0 1 3-3z"/>',
  globe: '<circle cx="12" cy="12" r="9"/><path d="M3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18"/>',
  day: '<rect x="3.5" y="5" width="17" height="15" rx="2.5"/><path d="M3.5 10h17M8 3v4M16 3v4"/>',
} as const;

const icon = (name: keyof typeof ICONS): string =>
  `<svg viewBox="0 0 24 24" aria-hidden="true">${ICONS[name]}</svg>`;

/** A page in the frame of its visit; `body` is HTML. */
export function visitPage(visit: BookVisit, title: string, body: string, slug = ''): string {
  const { agency, language, embedded, linkTo } = visit;
  const words = bookingWords(language);
  const { lang, name } = words.other;
  const other = `<a lang="${lang}" hreflang="${lang}" href="${escapeHtml(linkTo(slug, { lang }))}">${name}</a>`;
  return bookingFrame({
    htmlLang: words.htmlLang,
    agency,
    title,
    description: words.lead,
    body,
    embedded,
    script: true,
    corner: `<nav>${other}</nav>`,
    footer: `<span>${escapeHtml(agency.settings.BRAND)}</span><a href="${PAGES.privacy.path}"${embedded ? ' target="_blank" rel="noopener"' : ''}>${words.privacy}</a>`,
  });
}

/** The page on which a visitor chooses a day and a time; `notice` is HTML. */
export function choosePage(
  visit: BookVisit,
  call: BookableCall,
  shown: {
    readonly free: readonly Date[];
    readonly until: Date;
    readonly day?: string | undefined;
    readonly month?: string | undefined;
    readonly zones: readonly string[];
  },
  notice = '',
): string {
  const { language, zone, linkTo, contact } = visit;
  const words = bookingWords(language);
  const nothing = `<p>${words.nothingFree}</p><p>${words.write} <a href="mailto:${escapeHtml(contact)}">${escapeHtml(contact)}</a></p>`;
  const calendar = calendarView({
    ...{ language, zone, free: shown.free, until: shown.until, day: shown.day, month: shown.month, nothing },
    linkTo: (place) => linkTo(call.slug, place),
    slot: (start, label) =>
      `<a class="slot" href="${escapeHtml(linkTo(call.slug, { at: start.toISOString() }))}">${label}</a>`,
  });
  const body = `${notice}<div class="card pick">${aboutSection(visit, call, zoneChoice(visit, call, shown.zones))}${calendar}</div>`;
  return visitPage(visit, titleOf(visit, call), body, call.slug);
}

const titleOf = ({ language }: BookVisit, { service }: BookableCall): string => {
  const { title } = bookingWords(language);
  return service === null ? title : `${title}: ${service}`;
};

/** What is booked; `zone` is HTML. */
function aboutSection(visit: BookVisit, call: BookableCall, zone: string): string {
  const { language, calls, linkTo } = visit;
  const words = bookingWords(language);
  const [anything, ...services] = calls;
  const topics = [...services, ...(anything === undefined ? [] : [anything])].map(
    ({ slug, service }) =>
      `<li><a href="${escapeHtml(linkTo(slug))}"${slug === call.slug ? ' aria-current="true"' : ''}>${escapeHtml(service ?? words.anyTopic)}</a></li>`,
  );
  return `<section class="about"><h1>${escapeHtml(call.service ?? words.title)}</h1>
<p class="lead">${escapeHtml(call.service === null ? words.lead : `${call.lead} ${words.lead}`)}</p>
<ul class="facts"><li>${icon('clock')}<span>${words.minutes(call.minutes)}</span></li><li>${icon('phone')}<span>${words.atYourNumber}</span></li><li>${icon('globe')}${zone}</li></ul>
${calls.length < 2 ? '' : `<nav class="topics" aria-labelledby="topics"><h2 id="topics">${words.topics}</h2><ul>${topics.join('')}</ul></nav>`}</section>`;
}

function zoneChoice(visit: BookVisit, { slug }: BookableCall, zones: readonly string[]): string {
  const { language, zone, linkTo } = visit;
  const words = bookingWords(language);
  const action = new URL(linkTo(slug), 'http://page');
  const kept = [...action.searchParams]
    .filter(([name]) => name !== 'zone')
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`);
  const options = zones.map((one) => `<option${one === zone ? ' selected' : ''}>${one}</option>`);
  return `<details class="zone"><summary>${escapeHtml(words.zoneOf(zone.replaceAll('_', ' ')))} <u>${words.changeZone}</u></summary><form action="${escapeHtml(action.pathname)}">${kept.join('')}<label for="zone">${words.zone}</label><select id="zone" name="zone">${options.join('')}</select><p><button class="go quiet">${words.showTimes}</button></p></form></details>`;
}

/** The page on which a visitor gives name, address and number for a time; `notice` is HTML. */
export function detailsPage(
  visit: BookVisit,
  call: BookableCall,
  start: Date,
  { name, email, phone, wrong }: BookFields,
): string {
  const { language, zone, linkTo } = visit;
  const words = bookingWords(language);
  const field = (key: 'name' | 'email' | 'phone', attributes: string, value: string) => {
    const isWrong = wrong.includes(key);
    const hint = key === 'phone' ? `<p class="hint" id="phone-hint">${words.phoneHint}</p>` : '';
    const described = [...(isWrong ? [`${key}-wrong`] : []), ...(hint === '' ? [] : ['phone-hint'])];
    const marks = `${isWrong ? ' aria-invalid="true"' : ''}${described.length === 0 ? '' : ` aria-describedby="${described.join(' ')}"`}`;
    const why = isWrong ? `<p class="wrong" id="${key}-wrong">${words.wrong[key]}</p>` : '';
    return `<div class="field"><label for="${key}">${words[key]}</label><input id="${key}" name="${key}" ${attributes} required value="${escapeHtml(value)}"${marks}>${hint}${why}</div>`;
  };
  const day = `<a href="${escapeHtml(linkTo(call.slug, { day: start.toISOString() }))}">${words.anotherTime}</a>`;
  const notice =
    wrong.length === 0 ? '' : `<div class="notice narrow" role="alert"><p>${words.wrong.many}</p></div>`;
  const body = `${notice}<div class="card narrow"><section><h1>${escapeHtml(call.service ?? words.title)}</h1>
<ul class="facts"><li>${icon('day')}<span class="when">${escapeHtml(writeTime(start, zone, language))}</span></li><li>${icon('clock')}<span>${words.minutes(call.minutes)}</span></li></ul><p>${day}</p></section>
<section aria-labelledby="details"><h2 id="details">${words.yourDetails}</h2><form method="post" action="${escapeHtml(linkTo(call.slug))}" novalidate><input type="hidden" name="at" value="${start.toISOString()}">
${field('name', 'autocomplete="name" maxlength="120"', name)}
${field('email', 'type="email" autocomplete="email" maxlength="254"', email)}
${field('phone', 'type="tel" autocomplete="tel" maxlength="40"', phone)}
<p class="meta">${words.howItGoes(PROOF_MINUTES)}</p><div class="acts"><button class="go">${words.ask}</button></div></form></section></div>`;
  return visitPage(visit, titleOf(visit, call), body, call.slug);
}

/** A sentence that a time is taken, with the next free times as links. */
export function takenNotice(
  visit: BookVisit,
  call: BookableCall,
  start: Date,
  next: readonly Date[],
): string {
  const { language, zone, linkTo } = visit;
  const words = bookingWords(language);
  const items = next.map(
    (time) =>
      `<li><a class="slot" href="${escapeHtml(linkTo(call.slug, { at: time.toISOString() }))}">${escapeHtml(writeTime(time, zone, language))}</a></li>`,
  );
  return `<div class="notice" role="alert"><p>${escapeHtml(words.taken(writeTime(start, zone, language)))} ${next.length === 0 ? words.nothingFree : words.nextFree}</p>${next.length === 0 ? '' : `<ul class="slots">${items.join('')}</ul>`}</div>`;
}

/** A page with a few sentences; `body` is HTML. */
export function shortPage(visit: BookVisit, heading: string, body: string): string {
  return visitPage(
    visit,
    heading,
    `<div class="card narrow"><section><h1>${escapeHtml(heading)}</h1>${body}</section></div>`,
  );
}

/** The page after asking: what comes next, and until when the time is held. */
export function sentPage(visit: BookVisit, request: BookingRequest): string {
  const { language, zone } = visit;
  const words = bookingWords(language);
  const { start, email, heldUntil, bookingId } = request;
  const clock = new Intl.DateTimeFormat(language === 'de' ? 'de-DE' : 'en-GB', {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
  });
  const held = heldUntil === null ? words.lapsed : words.heldUntil(clock.format(heldUntil));
  const again = visit.calls.find(({ service }) => service === request.service)?.slug ?? '';
  const when = `<p class="when">${escapeHtml(writeTime(start, zone, language))}</p>`;
  return bookingId !== null
    ? shortPage(visit, words.own.booked, `${when}<p>${words.proved}</p>`)
    : shortPage(
        visit,
        words.sentTitle,
        `${when}<p>${escapeHtml(words.sentTo(email))}</p><p>${held}</p><p class="meta">${words.noMail}</p><p><a href="${escapeHtml(visit.linkTo(again, { at: start.toISOString() }))}">${words.startAgain}</a></p>`,
      );
}

/** The page that the mail's link opens. Programs follow links, so only its button books. */
export function provePage(visit: BookVisit, request: BookingRequest, query: string): string {
  const words = bookingWords(visit.language);
  const { start, zone, minutes, service } = request;
  const about = service === null ? '' : `<p>${escapeHtml(service)}</p>`;
  return shortPage(
    visit,
    words.proveTitle,
    `<p class="when">${escapeHtml(writeTime(start, zone, visit.language))}</p>${about}<p>${words.minutes(minutes)}</p><form method="post" action="${PROOF_PATH}?${escapeHtml(query)}"><div class="acts"><button class="go">${words.prove}</button></div></form>`,
  );
}
