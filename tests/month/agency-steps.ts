import type { OwnBookings } from '../../src/business/bookings/own-bookings.contract.ts';
import type { ContentOverview } from '../../src/business/content/content.contract.ts';
import { sitePlan } from '../../src/business/content/site-plan.contract.ts';
import type { ConsoleThread } from '../../src/business/messages/messages.contract.ts';
import { SPECIFIED_PLANS } from '../../src/kernel/contract/plans.ts';
import type { SiteContent, SitePlan } from '../../src/kernel/contract/site-content.ts';
import { newClient } from '../support/customers/auth-client.ts';
import { askConsole } from '../support/customers/operator-client.ts';
import type { Step } from './steps.ts';
import { ask, chosen, type Month, mailTo, type Person } from './world.ts';

/** Pages and files that name the agency. */
const NAMED = [
  '/',
  '/login',
  '/about',
  '/privacy',
  '/terms',
  '/book',
  '/config.json',
  '/llms.txt',
  '/status',
];
/** Calls to come that a person books at most. */
const MOST_BOOKINGS = 3;
const MOST_ENQUIRIES = 4;

/** Publishes the site as it is, with these changes. */
async function publish(month: Month, changes: SiteContent): Promise<void> {
  const { version, content } = await askConsole<ContentOverview>('content', month.operator);
  await askConsole('publish-content', month.operator, {
    ...{ content: { ...content, ...changes }, base: version, note: 'In the month' },
  });
}

/** The agency changes a price or what a plan holds, no longer sells a plan, or sells all of them as at first. */
export const changePlans: Step = async (month, _who, pick) => {
  const { sold } = month.app.resources.site.plans;
  const changed = pick % sold.length;
  const plans = sold.map(sitePlan).flatMap((plan, at): SitePlan[] => {
    if (at !== changed) return [plan];
    if (pick % 4 === 0) return [];
    const { limits, pricePence } = plan;
    return pick % 4 === 1
      ? [{ ...plan, pricePence: pricePence + 500 }]
      : [
          {
            ...plan,
            limits: {
              ...limits,
              creditsPerMonth: limits.creditsPerMonth + 5,
              storageMb: limits.storageMb + 24,
            },
          },
        ];
  });
  const isOver = pick % 4 === 3 || plans.length < 2;
  await publish(month, { plans: isOver ? SPECIFIED_PLANS.map(sitePlan) : plans });
};

/** The agency sells in another currency: who has a plan keeps it in the former one. */
export const changeCurrency: Step = async (month, _who, pick) => {
  const [currency = 'GBP'] = ['GBP', 'EUR', 'JPY'].slice(pick % 3);
  if (currency === month.app.resources.site.currency) return;
  await publish(month, { currency });
  await expectNamed(month, []);
};

/** The agency takes another name: from then on it is the only one that people read. */
export const rebrand: Step = async (month, who, pick) => {
  const { settings } = month.app.resources;
  const name = `Kestrel ${pick}`;
  if (name === settings.BRAND) return;
  month.formerBrands.add(settings.BRAND);
  await publish(month, {
    brand: { name, contactEmail: 'crew@kestrel.example', socialUrl: 'https://social.example/kestrel' },
  });
  await who.client.auth.resetPasswordForEmail(who.email);
  const mail = await mailTo(month, who.email, /^Choose a new .* password/);
  await expectNamed(month, [['the mail', mail]]);
};

/** Signs and words of the currencies that the agency sells in. */
const CURRENCIES: Readonly<Record<string, RegExp>> = {
  GBP: /£|\bpounds?\b|\bGBP\b/i,
  EUR: /€|\beuros?\b|\bEUR\b/i,
  JPY: /¥|\byen\b|\bJPY\b/i,
};
/** The document of the sample report is what it is, in pounds. */
const SAMPLE = /A sample document, 2 pages[\s\S]*?The whole report/;

/** The agency's name and currency stand everywhere, and no former ones anywhere. @param more further texts, by their place */
async function expectNamed(month: Month, more: readonly (readonly [string, string])[]): Promise<void> {
  const { settings, site } = month.app.resources;
  const pages = await Promise.all(NAMED.map(async (page) => [page, await wordsOf(month, page)] as const));
  const formerly = [...month.formerBrands].filter((former) => former !== settings.BRAND);
  const others = Object.keys(CURRENCIES).filter((currency) => currency !== site.currency);
  for (const [place, words] of [...pages, ...more]) {
    if (!words.includes(settings.BRAND)) throw new Error(`${place} does not name ${settings.BRAND}`);
    for (const former of formerly)
      if (new RegExp(`\\b${former}\\b`, 'i').test(words)) throw new Error(`${place} still names ${former}`);
    for (const other of others) {
      const found = CURRENCIES[other]?.exec(words.replace(SAMPLE, ''));
      if (found) {
        const around = words.replace(SAMPLE, '').slice(Math.max(0, found.index - 60), found.index + 60);
        throw new Error(`${place} names ${other} and not ${site.currency} alone: ${around}`);
      }
    }
  }
  const [, home = ''] = pages[0] ?? [];
  if (site.plans.sold.length > 0 && CURRENCIES[site.currency]?.test(home) !== true)
    throw new Error(`the home page has no price in ${site.currency}`);
}

/** What a person reads of a page: neither scripts nor tags. */
async function wordsOf({ app }: Month, page: string): Promise<string> {
  const text = await (await fetch(app.url + page)).text();
  return text.replace(/<(script|style)[^>]*>[\s\S]*?<\/\1>/g, ' ').replace(/<[^>]*>/g, ' ');
}

/** A message with a file, or an answer of the agency. */
export const message: Step = async (month, who, pick) => {
  if (pick % 3 === 0) {
    await askConsole('send-message', month.operator, { user_id: who.id, text: `We have it, ${pick}` });
    return;
  }
  const file = chosen([...who.files], pick);
  await ask(who, 'send-message', { text: `Please look, ${pick}`, files: file === undefined ? [] : [file] });
};

/** An enquiry with the person's address, sent without signing in; few, as more look like advertising. */
export const enquire: Step = async (month, who, pick) => {
  if (month.people.reduce((sum, { enquiries }) => sum + enquiries, 0) >= MOST_ENQUIRIES) return;
  await ask({ client: newClient(month.app) }, 'enquiry', {
    ...{ name: who.name, email: who.email, enquiry_type: month.app.resources.site.enquiryServices[0] },
    additional_notes: `What about ${who.name}, ${pick}?`,
  });
  who.enquiries += 1;
};

/** Both sides read the same thread, with enquiries of a proven address, and attached files only while they are there. */
export async function threadFaults(month: Month, who: Person): Promise<string[]> {
  const own = who.client.schema('northline_app');
  const [{ entries }, messages, enquiries, files, isProven] = await Promise.all([
    askConsole<ConsoleThread>(`thread?user_id=${who.id}`, month.operator),
    own.from('messages').select('id'),
    own.rpc('enquiries_in_thread'),
    own.from('message_files').select('id, file_id'),
    hasProven(month, who),
  ]);
  const written = enquiries.data as { from_agency: boolean }[];
  const theirs = entries.flatMap((entry) => entry.files).map(({ id, file_id: file }) => `${id} ${file}`);
  const ours = (files.data ?? []).map(({ id, file_id: file }) => `${id} ${file}`);
  const gone = (files.data ?? []).filter(({ file_id: file }) => file !== null && !who.files.has(file));
  const faults = [];
  if ((messages.data?.length ?? 0) + written.length !== entries.length)
    faults.push('the two sides read other messages');
  if (written.length !== (isProven ? who.enquiries : 0))
    faults.push(`${written.length} of ${who.enquiries} enquiries are in the thread`);
  if (theirs.sort().join() !== ours.sort().join()) faults.push('the two sides see other files');
  if (gone.length > 0) faults.push('a message has a file that is gone');
  return faults;
}

async function hasProven({ app }: Month, { id }: Person): Promise<boolean> {
  const { email_proven_at: at } = await app.resources.database.one(
    'select email_proven_at from auth.users where id = $1',
    [id],
  );
  return at !== null;
}

const submit = ({ app }: Month, path: string, form: Record<string, string>): Promise<Response> =>
  fetch(app.url + path, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' });

async function freeTimes({ app }: Month): Promise<string[]> {
  const page = await (await fetch(`${app.url}/book`)).text();
  return [...page.matchAll(/class="slot" href="[^"]*[?&;]at=([^"&]+)/g)].map(([, at = '']) =>
    decodeURIComponent(at),
  );
}

/** Books a call with a colleague by the link of a mail, moves one, or cancels one. */
export const book: Step = async (month, who, pick) => {
  const at = chosen(await freeTimes(month), pick) ?? '';
  const known = chosen([...who.bookings], pick);
  if (pick % 3 === 0 || known === undefined) {
    if (who.bookings.length >= MOST_BOOKINGS) return;
    await submit(month, '/book', { at, email: who.email, name: who.name, phone: '07700 900123' });
    const mail = await mailTo(month, who.email, /^Please confirm your call: /);
    const proven = await submit(month, /\/booking\/confirm\?r=[\w-]+/.exec(mail)?.[0] ?? '', {});
    who.bookings.push({ path: proven.headers.get('location') ?? '', at, changes: 0 });
    return;
  }
  const isMoved = pick % 3 === 1;
  const form = {
    do: isMoved ? 'move' : 'cancel',
    changes: String(known.changes),
    ...(isMoved && { start: at }),
  };
  const { status } = await submit(month, known.path, form);
  if (status !== 303) throw new Error(`${form.do} of a booking was answered with ${status}`);
  if (isMoved) Object.assign(known, { at, changes: known.changes + 1 });
  else who.bookings.splice(who.bookings.indexOf(known), 1);
};

/** The calls to come on the account page, once the account's address is proven. */
export async function bookingFaults(month: Month, who: Person): Promise<string[]> {
  if (!(await hasProven(month, who))) return [];
  const { bookings } = await ask<OwnBookings>(who, 'own-bookings');
  const shown = bookings.map(({ starts_at: at }) => new Date(at).getTime());
  const wanted = who.bookings.map(({ at }) => new Date(at).getTime());
  return shown.sort().join() === wanted.sort().join() ? [] : [`booked calls: ${shown} in place of ${wanted}`];
}
