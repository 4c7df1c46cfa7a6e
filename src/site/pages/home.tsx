import { type ReactNode, useState } from 'react';
import { PAGES } from '../../contract/routes.ts';
import { CourseLauncher } from '../home/course-launcher.tsx';
import { CoursePlans } from '../home/course-plans.tsx';
import { DocumentPlans } from '../home/document-plans.tsx';
import type { EnquiryOpening } from '../home/enquire-link.tsx';
import { Hero } from '../home/hero.tsx';
import { News } from '../home/news.tsx';
import { PhoneSystem } from '../home/phone-system.tsx';
import { Services } from '../home/services.tsx';
import { Splash } from '../home/splash.tsx';
import { Values } from '../home/values.tsx';
import { PageShell } from '../parts/page-shell.tsx';

/**
 * The home page, top to bottom as `spec/site.md §2` has it. The two dialogs are fetched when they are
 * asked for; without a connection to fetch them over, their pages say so better than nothing would.
 */
export default function HomePage() {
  const [dialog, setDialog] = useState<ReactNode>(null);
  const close = (): void => setDialog(null);
  const openEnquiry = (opening: EnquiryOpening): void => {
    import('../../features/enquiries/enquiry-dialog.web.tsx').then(
      ({ EnquiryDialog }) => setDialog(<EnquiryDialog {...opening} onClose={close} />),
      () => location.assign(PAGES.enquire.path),
    );
  };
  const openCourseInquiry = (): void => {
    import('../../features/enquiries/course-inquiry-dialog.web.tsx').then(
      ({ CourseInquiryDialog }) => setDialog(<CourseInquiryDialog onClose={close} />),
      () => location.assign(PAGES.courseInquiry.path),
    );
  };
  return (
    <>
      <Splash />
      <PageShell>
        <Hero openEnquiry={openEnquiry} />
        <Values />
        <Services openEnquiry={openEnquiry} />
        <CourseLauncher openCourseInquiry={openCourseInquiry} />
        <CoursePlans />
        <DocumentPlans openEnquiry={openEnquiry} />
        <PhoneSystem openEnquiry={openEnquiry} />
        <News />
      </PageShell>
      {dialog}
    </>
  );
}
