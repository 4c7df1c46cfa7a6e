import type { ReactNode } from 'react';
import { words } from '../../ui/brand.ts';
import { Carousel } from '../../ui/parts/carousel.tsx';
import { TestNow } from '../../voice/site/test-now.web.tsx';
import { EnquireLink, type OpenEnquiry } from './enquire-link.tsx';
import { BranchPicture, CalendarPicture, NightPicture } from './phone-pictures.tsx';

const CARDS: readonly { name: string; text: string; picture: ReactNode; icon: string }[] = [
  {
    name: '24/7 Availability',
    text: 'The call at seven minutes past three is picked up like the one at noon: at once, with full attention, and what was said is written down when it ends.',
    picture: <NightPicture />,
    icon: 'M12 3a9 9 0 1 0 9 9M12 7v5l3.5 2',
  },
  {
    name: 'Smart Scheduling',
    text: 'It knows your calendar, offers the slots that suit your rounds, holds one while the caller thinks, and sends the confirmation.',
    picture: <CalendarPicture />,
    icon: 'M4 6h16v14H4zM4 10.5h16M8.5 3.5v4M15.5 3.5v4M8.5 15l2.5 2.2 4.5-4.4',
  },
  {
    name: 'Custom Solutions',
    text: 'Your own voice prompts, your own routes: invoices to accounts, leaks to the person on call, everybody else to the right person first time.',
    picture: <BranchPicture />,
    icon: 'M5 20v-5a4 4 0 0 1 4-4h6a4 4 0 0 0 4-4V4M5 4v7M16 7l3-3 3 3M2 17l3 3 3-3',
  },
];

const BENEFITS = ['first', 'second', 'third', 'fourth', 'fifth'] as const;

/**
 * Automated Phone System (docs/specification/platform.md §2): three cards that take turns, then the offer to try it.
 */
export function PhoneSystem({ openEnquiry }: { openEnquiry: OpenEnquiry }) {
  return (
    <section className="stop phone c-call" id="phone" aria-labelledby="phone-title" data-near="">
      <p className="new-feature">New Feature</p>
      <h2 id="phone-title">{words('phone.heading')}</h2>
      <p className="intro">{words('phone.intro')}</p>
      <Carousel
        label="What the phone system does"
        slides={CARDS.map((card) => ({
          name: card.name,
          content: (
            <>
              <div className="phone-card">
                <svg className="phone-icon" viewBox="0 0 24 24" aria-hidden="true">
                  <path d={card.icon} />
                </svg>
                <h3>{card.name}</h3>
                <p>{card.text}</p>
              </div>
              {card.picture}
            </>
          ),
        }))}
      />
      <div className="phone-try" id="test-now">
        <div>
          <h3>Hear it for yourself</h3>
          <TestNow />
          <EnquireLink look="quiet" service="Automated Phone System" open={openEnquiry}>
            Have one for your business
          </EnquireLink>
        </div>
        <ul className="ticks">
          {BENEFITS.map((benefit) => (
            <li key={benefit}>{words(`phone.${benefit}`)}</li>
          ))}
        </ul>
      </div>
    </section>
  );
}
