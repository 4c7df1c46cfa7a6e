import { site, words } from '../../ui/brand.ts';
import { ButtonLink } from '../../ui/parts/button.tsx';
import { EnquireLink, type OpenEnquiry } from './enquire-link.tsx';
import { TallMap, WideMap } from './line-map.tsx';

/** The sample of the log: time, line, and place of the line on the map. */
const LOG = [
  ['09:41', 'call', 'first'],
  ['09:40', 'docs', 'second'],
  ['09:38', 'leads', 'fourth'],
  ['09:37', 'chat', 'third'],
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
          {site.sections.includes('phone') && (
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
          {LOG.map(([at, line, nth]) => (
            <li key={at} className={`c-${line}`}>
              <time>{at}</time>
              <span className="ln">{words(`map.${nth}.kind`)}</span>
              <span className="what">{words(`map.${nth}.sample`)}</span>
              <span className="to">{words(`map.${nth}.to`).replace(/,.*/, '')}</span>
              <span className="done">{words(`map.${nth}.result`)}</span>
            </li>
          ))}
        </ul>
      </figure>
    </section>
  );
}
