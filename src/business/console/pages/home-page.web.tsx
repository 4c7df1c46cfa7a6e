import { formatMoney } from '@northline/vat/money';
import { useQuery } from '@tanstack/react-query';
import { PAGES } from '../../../kernel/contract/routes.ts';
import { site } from '../../../ui/brand.ts';
import { Loaded } from '../../../ui/parts/loaded.tsx';
import type { OperatorOverview } from '../console.contract.ts';
import { DemoOffer } from '../demo/demo-part.web.tsx';
import type { HomeDay, HomePage, HomeStep } from '../home.contract.ts';
import { EmptyState, PageHead } from '../parts/console-parts.web.tsx';
import { May } from '../parts/console-role.web.tsx';
import { operatorQuery } from '../parts/operator-client.web.ts';
import { shortTime } from '../parts/time-words.web.ts';

/** The console's first page: what waits, what happened, and what a new installation still needs. */
export function HomeView({ overview }: { readonly overview: OperatorOverview }) {
  const query = useQuery(operatorQuery<HomePage>('home'));
  return (
    <>
      <PageHead heading="Home" about="What waits for you, and how the week goes." />
      <Loaded query={query}>
        {(home) => (
          <div className="console-home">
            <Waiting overview={overview} home={home} />
            <Week days={home.days} />
            <May call="save-settings">
              <Steps steps={home.steps} />
            </May>
            <May call="demo-data">{overview.demoData === null && <DemoOffer />}</May>
          </div>
        )}
      </Loaded>
    </>
  );
}

interface WaitingItem {
  readonly words: string;
  readonly href: string;
  readonly isUrgent?: boolean;
}

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

function waitingItems(overview: OperatorOverview, home: HomePage): WaitingItem[] {
  const { open, late, overdue, unreadMessages, openWishes, failedMails, deadEvents } = overview;
  const clock = overdue > 0 ? `, ${overdue} past 24 hours` : late > 0 ? `, ${late} due soon` : '';
  const items: [number, WaitingItem][] = [
    [
      open,
      {
        words: `${counted(open, 'enquiry waits', 'enquiries wait')} for a reply${clock}`,
        href: PAGES.operatorEnquiries.path,
        isUrgent: overdue + late > 0,
      },
    ],
    [
      unreadMessages,
      {
        words: counted(unreadMessages, 'message is unread', 'messages are unread'),
        href: PAGES.operatorMessages.path,
      },
    ],
    [
      openWishes,
      {
        words: `${counted(openWishes, 'call', 'calls')} of this week left a wish open`,
        href: PAGES.operatorCalls.path,
      },
    ],
    [
      failedMails,
      { words: `${counted(failedMails, 'mail', 'mails')} did not arrive`, href: PAGES.operatorMail.path },
    ],
    [
      deadEvents,
      {
        words: `${counted(deadEvents, 'notification', 'notifications')} to your other tools failed`,
        href: PAGES.operatorEvents.path,
      },
    ],
  ];
  return [
    ...items.filter(([count]) => count > 0).map(([, item]) => item),
    ...home.bookings.map(({ id, starts_at: start, name, phone }) => ({
      words: `${shortTime(start)}: call with ${name}, ${phone}`,
      href: `${PAGES.operatorBookings.path}/${id}`,
    })),
  ];
}

function Waiting({ overview, home }: { overview: OperatorOverview; home: HomePage }) {
  const items = waitingItems(overview, home);
  return (
    <section aria-labelledby="waiting">
      <h2 id="waiting">Waiting for you</h2>
      {items.length === 0 ? (
        <EmptyState>Nothing waits.</EmptyState>
      ) : (
        <ul className="panel rows">
          {items.map(({ words, href, isUrgent }) => (
            <li className="row" key={words}>
              <a className="name" href={href}>
                {words}
              </a>
              {isUrgent === true && (
                <span className="badge" data-status="due">
                  Clock runs
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const WEEK = 7;
interface Figure {
  readonly name: string;
  readonly of: (day: HomeDay) => number;
  readonly say: (value: number) => string;
}
const FIGURES: readonly Figure[] = [
  { name: 'New accounts', of: (day) => day.customers, say: String },
  { name: 'Uploads', of: (day) => day.documents, say: String },
  { name: 'Calls', of: (day) => day.calls, say: String },
];

/** The money of each currency by itself: first the one that is sold in, then those that customers still pay in. */
function moneyFigures(days: readonly HomeDay[]): Figure[] {
  const present = site.currency.toLowerCase();
  const paid = days.flatMap((day) => Object.keys(day.paid)).sort();
  const currencies = [...new Set([present, ...paid])];
  return currencies.map((currency) => ({
    name: currencies.length === 1 ? 'Money in' : `Money in, ${currency.toUpperCase()}`,
    of: (day) => day.paid[currency] ?? 0,
    say: (value) => formatMoney(value, currency),
  }));
}

function Week({ days }: { days: readonly HomeDay[] }) {
  return (
    <section aria-labelledby="week">
      <h2 id="week">The last seven days</h2>
      <ul className="home-figures">
        {[...moneyFigures(days), ...FIGURES].map((figure) => (
          <WeekFigure key={figure.name} days={days} figure={figure} />
        ))}
      </ul>
    </section>
  );
}

const BAR = 8;
const HEIGHT = 32;

interface WeekFigureProps {
  readonly days: readonly HomeDay[];
  readonly figure: Figure;
}

/** One figure of this week beside the week before, with a bar for each of the fourteen days. */
function WeekFigure({ days, figure: { of, name, say } }: WeekFigureProps) {
  const sum = (part: readonly HomeDay[]): number => part.reduce((total, day) => total + of(day), 0);
  const [before, now] = [sum(days.slice(0, -WEEK)), sum(days.slice(-WEEK))];
  const most = Math.max(1, ...days.map(of));
  return (
    <li className="panel pad">
      <p className="meta">{name}</p>
      <p className="home-figure num">{say(now)}</p>
      <svg viewBox={`0 0 ${days.length * BAR} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {days.map((day, at) => (
          <rect
            key={day.day}
            className={at < days.length - WEEK ? 'plot-all' : 'plot-part'}
            x={at * BAR}
            width={BAR - 2}
            y={HEIGHT - Math.max(1, (HEIGHT * of(day)) / most)}
            height={Math.max(1, (HEIGHT * of(day)) / most)}
          />
        ))}
      </svg>
      <p className="meta num">{say(before)} the week before</p>
    </li>
  );
}

/** Each step in words: what it is, why, and where it is done. */
const STEP_WORDS: Readonly<
  Record<HomeStep['id'], { readonly name: string; readonly how: string; readonly href: string }>
> = {
  factor: {
    name: 'A second factor for your account',
    how: 'Set it up on the Account page',
    href: `${PAGES.account.path}#second-factor`,
  },
  brand: {
    name: 'Your name and colours',
    how: 'Publish them on the Content page',
    href: PAGES.operatorSite.path,
  },
  plans: {
    name: 'Your plans and prices',
    how: 'Replace the samples on the Content page',
    href: PAGES.operatorSite.path,
  },
  sample: {
    name: 'Your own examples on the home page',
    how: 'The home page still shows sample figures: write yours on the Content page',
    href: PAGES.operatorSite.path,
  },
  legal: {
    name: 'Your terms and privacy notice',
    how: 'The samples name English law: write yours on the Content page',
    href: PAGES.operatorSite.path,
  },
  address: {
    name: 'A public address',
    how: 'Set SITE_URL to an https address',
    href: `${PAGES.operatorSettings.path}#address`,
  },
  mail: {
    name: 'Mail that leaves this machine',
    how: 'Name your mail server and try it',
    href: `${PAGES.operatorSettings.path}#mail`,
  },
  payments: {
    name: 'Real payments',
    how: "Write the payment provider's keys",
    href: `${PAGES.operatorSettings.path}#payments`,
  },
  backup: {
    name: 'A backup of the last three days',
    how: 'Name a place for backups',
    href: `${PAGES.operatorSettings.path}#backup`,
  },
  call: {
    name: 'A first call with your assistant',
    how: 'Press Test Now on the home page',
    href: PAGES.home.path,
  },
  colleague: {
    name: 'A colleague at the console',
    how: 'Invite one on the Colleagues page',
    href: PAGES.operatorColleagues.path,
  },
};

function Steps({ steps }: { steps: readonly HomeStep[] }) {
  const left = steps.filter(({ done }) => !done).length;
  if (left === 0) return null;
  return (
    <section aria-labelledby="steps">
      <h2 id="steps">Set up</h2>
      <p className="meta">
        {steps.length - left} of {steps.length} done. Each is looked up anew when you open this page.
      </p>
      <ul className="panel rows">
        {steps.map(({ id, done }) => {
          const { name, how, href } = STEP_WORDS[id];
          return (
            <li className="row" key={id}>
              <span className="name">
                <b>{name}</b>{' '}
                {done ? null : (
                  <span className="meta">
                    <a href={href}>{how}</a>
                  </span>
                )}
              </span>
              <span className="badge" data-status={done ? 'analyzed' : 'none'}>
                {done ? 'Done' : 'To do'}
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
