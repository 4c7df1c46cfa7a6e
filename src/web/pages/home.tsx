import { useState } from 'react';
import { CourseInquiryDialog } from '../../features/enquiries/course-inquiry-dialog.web.tsx';
import { EnquiryDialog } from '../../features/enquiries/enquiry-dialog.web.tsx';
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

/** The home page, top to bottom as `spec/site.md §2` has it. */
export default function HomePage() {
  const [enquiry, openEnquiry] = useState<EnquiryOpening>();
  const [courseOpen, setCourseOpen] = useState(false);
  return (
    <>
      <Splash />
      <PageShell>
        <Hero openEnquiry={openEnquiry} />
        <Values />
        <Services openEnquiry={openEnquiry} />
        <CourseLauncher openCourseInquiry={() => setCourseOpen(true)} />
        <CoursePlans />
        <DocumentPlans openEnquiry={openEnquiry} />
        <PhoneSystem openEnquiry={openEnquiry} />
        <News />
      </PageShell>
      {enquiry === undefined ? null : <EnquiryDialog {...enquiry} onClose={() => openEnquiry(undefined)} />}
      {courseOpen ? <CourseInquiryDialog onClose={() => setCourseOpen(false)} /> : null}
    </>
  );
}
