import { Fragment, type ReactNode, useState } from 'react';
import { ShowNews } from '../../business/news/site/news-section.web.tsx';
import { ShowStatistics } from '../../business/statistics/statistics-section.web.tsx';
import { PAGES } from '../../kernel/contract/routes.ts';
import type { Section } from '../../kernel/contract/site-content.ts';
import { site, words } from '../../ui/brand.ts';
import { PageShell } from '../frame/page-shell.tsx';
import { CourseLauncher } from '../home/course-launcher.tsx';
import { CoursePlans } from '../home/course-plans.tsx';
import { DocumentPlans } from '../home/document-plans.tsx';
import type { EnquiryOpening } from '../home/enquire-link.tsx';
import { Hero } from '../home/hero.tsx';
import { PhoneSystem } from '../home/phone-system.tsx';
import { useHeldPrices } from '../home/plan-button.tsx';
import { Services } from '../home/services.tsx';
import { Splash } from '../home/splash.tsx';
import { Values } from '../home/values.tsx';

/**
 * The home page, in the order of docs/specification/site.md §2 or of the agency. The two dialogs are fetched
 * when they are opened. Without a connection their pages open, because a message is better than nothing.
 */
export default function HomePage() {
  const [dialog, setDialog] = useState<ReactNode>(null);
  const held = useHeldPrices();
  const close = (): void => setDialog(null);
  const openEnquiry = (opening: EnquiryOpening): void => {
    import('../../business/enquiries/site/enquiry-dialog.web.tsx').then(
      ({ EnquiryDialog }) => setDialog(<EnquiryDialog {...opening} onClose={close} />),
      () => location.assign(PAGES.enquire.path),
    );
  };
  const openCourseInquiry = (): void => {
    import('../../business/enquiries/site/course-inquiry-dialog.web.tsx').then(
      ({ CourseInquiryDialog }) => setDialog(<CourseInquiryDialog onClose={close} />),
      () => location.assign(PAGES.courseInquiry.path),
    );
  };
  const sections: Readonly<Record<Section, () => ReactNode>> = {
    values: () => <Values />,
    services: () => <Services openEnquiry={openEnquiry} />,
    launcher: () => <CourseLauncher openCourseInquiry={openCourseInquiry} />,
    courses: () => <CoursePlans held={held} />,
    documents: () => <DocumentPlans openEnquiry={openEnquiry} held={held} />,
    phone: () => <PhoneSystem openEnquiry={openEnquiry} />,
    news: () => <News />,
  };
  return (
    <>
      <Splash />
      <PageShell>
        <Hero openEnquiry={openEnquiry} />
        {site.sections.map((name) => (
          <Fragment key={name}>{sections[name]()}</Fragment>
        ))}
      </PageShell>
      {dialog}
    </>
  );
}

/** Latest in AI news and the four live statistics (docs/specification/site.md §2). */
function News() {
  return (
    <section className="stop news" id="news" aria-labelledby="news-title" data-near="">
      <h2 id="news-title">{words('news.heading')}</h2>
      <div className="news-grid">
        <div>
          <ShowNews />
          <p>
            <a href={PAGES.news.path}>All news</a>
          </p>
        </div>
        <ShowStatistics />
      </div>
    </section>
  );
}
