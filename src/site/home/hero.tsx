import { shownSections } from '../../kernel/contract/site-content.ts';
import { words } from '../../ui/brand.ts';
import { ButtonLink } from '../../ui/parts/button.tsx';
import { EnquireLink, type OpenEnquiry } from './enquire-link.tsx';
import { TallMap, WideMap } from './line-map.tsx';

const LOG = [
  {
    at: '09:41',
    line: 'call',
    kind: 'Call',
    what: 'Boiler service, Thursday after ten',
    to: 'Calendar',
    done: 'Booked Thu 10:30',
  },
  {
    at: '09:40',
    line: 'docs',
    kind: 'Document',
    what: 'Lease-Unit-4.pdf, 38 pages',
    to: 'Library',
    done: '14 terms found',
  },
  {
    at: '09:38',
    line: 'leads',
    kind: 'Enquiry',
    what: 'New website for a team of twelve',
    to: 'Sales desk',
    done: 'Scored 86',
  },
  {
    at: '09:37',
    line: 'chat',
    kind: 'Chat',
    what: 'Do you deliver to Leeds?',
    to: 'Customer',
    done: 'Answered in 4 s',
  },
] as const;

/** Welcome, what the agency does, and its services as a line map with a sample of its log. */
export function Hero({ openEnquiry }: { openEnquiry: OpenEnquiry }) {
  return (
    <section className="hero" aria-labelledby="welcome">
      <h1 id="welcome">{words('hero.heading')}</h1>
      <p className="hero-promise">{words('hero.promise')}</p>
      <div className="lede">
        <p>{words('hero.intro')}</p>
        <p className="cta">
          <EnquireLink look="signal" open={openEnquiry}>
            Get Started Today
          </EnquireLink>
          {shownSections().includes('phone') && (
            <ButtonLink look="quiet" href="#test-now">
              Talk to our assistant
            </ButtonLink>
          )}
        </p>
      </div>
      <figure className="board">
        <figcaption>
          <b>A sample morning</b>
          <span className="board-note">Invented entries, not live customers</span>
          <label className="pause">
            <input type="checkbox" />
            <span>Pause the map</span>
          </label>
        </figcaption>
        <WideMap />
        <TallMap />
        <ul className="log">
          {LOG.map((entry) => (
            <li key={entry.at} className={`c-${entry.line}`}>
              <time>{entry.at}</time>
              <span className="ln">{entry.kind}</span>
              <span className="what">{entry.what}</span>
              <span className="to">{entry.to}</span>
              <span className="done">{entry.done}</span>
            </li>
          ))}
        </ul>
      </figure>
    </section>
  );
}
