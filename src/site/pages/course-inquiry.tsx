import { CourseInquiryDialog } from '../../business/enquiries/site/course-inquiry-dialog.web.tsx';
import { useDialogExit } from '../app/dialog-exit.ts';

/** The course inquiry as a page. */
export default function CourseInquiryPage() {
  return (
    <main>
      <CourseInquiryDialog page onClose={useDialogExit()} />
    </main>
  );
}
