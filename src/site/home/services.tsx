import type { ReactNode } from 'react';
import { servicePages } from '../../kernel/contract/service-pages.ts';
import type { ServicePicture } from '../../kernel/contract/site-content.ts';
import { site, words } from '../../ui/brand.ts';
import { Meter } from '../../ui/parts/meter.tsx';
import { EnquireLink, type OpenEnquiry } from './enquire-link.tsx';

const LEADS = [
  { name: 'Harlow Dental', note: 'Two clinics, wants out-of-hours calls', score: 92 },
  { name: 'Beck & Sons Joinery', note: 'New website, team of twelve', score: 86 },
  { name: 'Otley Lettings', note: 'Leases to read, about 60 a month', score: 71 },
] as const;

/** Heights of the sound wave in per cent; the part already heard comes first. */
const WAVE =
  '12 57 67 46 19 13 28 48 46 13 63 95 85 39 40 69 62 33 12 15 36 48 30 39 83 95 64 16 62 72 50 20 15 22 42 41 16 64 94 83 35 45 74 66 35 14 13 30 42 26 41 83 93 60 20 67 77 53 20 18 17 36 36 19'
    .split(' ')
    .map(Number);
const HEARD = 42;

const wavePath = (from: number, to: number): string =>
  WAVE.slice(from, to)
    .map((height, index) => {
      const half = (height * 0.8) / 2;
      return `M${(from + index) * 9 + 4} ${Math.round(40 - half)}v${Math.round(half * 2)}`;
    })
    .join('');

/** The services, each on a card with a working sample of what it does. */
export function Services({ openEnquiry }: { openEnquiry: OpenEnquiry }) {
  const pages = servicePages(site.content);
  return (
    <section className="stop" id="services" aria-labelledby="services-title">
      <h2 id="services-title">{words('services.heading')}</h2>
      <p className="intro">{words('services.intro')}</p>
      <ul className="services">
        {site.services.map(({ name, text, picture }) => (
          <li key={name} className={LOOKS[picture]}>
            {picture === 'none' ? null : <ServiceScene picture={picture} />}
            <h3>
              <a href={pages.find((page) => page.name === name)?.path}>{name}</a>
            </h3>
            <p>{text}</p>
          </li>
        ))}
      </ul>
      <p className="after">
        <EnquireLink look="signal" open={openEnquiry}>
          Get Started Today
        </EnquireLink>
        <span className="meta">A person replies within 24 hours.</span>
      </p>
    </section>
  );
}

/** A working sample of a service. */
export function ServiceScene({ picture }: { picture: Exclude<ServicePicture, 'none'> }) {
  return PICTURES[picture]();
}

/** The colour of a service's line, as a class name. */
export const serviceLine = (picture: ServicePicture): string => LOOKS[picture].split(' ').at(-1) ?? '';

const LOOKS: Readonly<Record<ServicePicture, string>> = {
  chat: 'svc c-chat',
  website: 'svc wide c-sites',
  phone: 'svc wide c-call',
  leads: 'svc c-leads',
  none: 'svc plain c-docs',
};

const PICTURES: Readonly<Record<Exclude<ServicePicture, 'none'>, () => ReactNode>> = {
  chat: () => (
    <div
      className="scene"
      role="img"
      aria-label="A sample chat: a question about delivery is answered in four seconds"
    >
      <p className="say">Do you deliver to Leeds?</p>
      <p className="say us">Yes, Tuesdays and Fridays. Order by noon for the next van.</p>
      <p className="meta">Answered in 4 seconds. Handed to Priya at 09:39.</p>
    </div>
  ),
  website: () => (
    <div className="scene">
      <SitePicture />
    </div>
  ),
  phone: () => (
    <div className="scene">
      <svg className="wave" viewBox="0 0 576 80" aria-hidden="true">
        <path className="wave-heard" d={wavePath(0, HEARD)} />
        <path d={wavePath(HEARD, WAVE.length)} />
      </svg>
      <dl className="script">
        <dt>Caller</dt>
        <dd>Can someone look at the boiler on Thursday, any time after ten?</dd>
        <dt>Assistant</dt>
        <dd>Half past ten is free. Shall I text you the confirmation?</dd>
      </dl>
    </div>
  ),
  leads: () => (
    <div className="scene">
      <ul>
        {LEADS.map((lead) => (
          <li className="lead" key={lead.name}>
            <span>
              <b>{lead.name}</b>
              <span className="meta">{lead.note}</span>
            </span>
            <Meter label={`Score of ${lead.name}`} value={lead.score} />
            <span className="num" aria-hidden="true">
              {lead.score}
            </span>
          </li>
        ))}
      </ul>
    </div>
  ),
};

function SitePicture() {
  return (
    <svg className="site-picture" viewBox="0 0 560 230" aria-hidden="true">
      <rect className="pic-page" x="1" y="1" width="558" height="228" rx="10" />
      <path className="pic-rule" d="M1 34H559" />
      <circle className="pic-dot" cx="20" cy="18" r="4" />
      <circle className="pic-dot" cx="36" cy="18" r="4" />
      <rect className="pic-field" x="190" y="10" width="180" height="15" rx="7.5" />
      <rect className="pic-ink" x="32" y="62" width="232" height="22" rx="4" />
      <rect className="pic-ink" x="32" y="93" width="166" height="22" rx="4" />
      <rect className="pic-text" x="32" y="135" width="220" height="8" rx="4" />
      <rect className="pic-text" x="32" y="151" width="184" height="8" rx="4" />
      <rect className="pic-line" x="32" y="180" width="96" height="28" rx="6" />
      <rect className="pic-card" x="318" y="62" width="210" height="146" rx="8" />
      <path className="pic-hill" d="M336 186 396 116 438 158 474 92 510 186Z" />
      <path className="pic-ridge" d="M336 186 396 116 438 158 474 92 510 186" />
    </svg>
  );
}
