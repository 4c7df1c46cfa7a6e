import { CourseInquiryDialog } from '../../features/enquiries/course-inquiry-dialog.web.tsx';
import { useWayHome } from '../use-way-home.ts';

/** The course inquiry as a page. */
export default function CourseInquiryPage() {
  return (
    <main>
      <CourseInquiryDialog page onClose={useWayHome()} />
    </main>
  );
}
