import { useEffect, useState } from 'react';
import { EnquiryDialog } from '../../business/enquiries/site/enquiry-dialog.web.tsx';
import { enquiryServiceOf } from '../../business/enquiries/site/enquiry-service.web.ts';
import { useDialogExit } from '../app/dialog-exit.ts';

/** The enquiry form as a page; `?service=` preselects. */
export default function EnquirePage() {
  const goHome = useDialogExit();
  const [service, setService] = useState<string>();
  useEffect(() => setService(enquiryServiceOf(location.search)), []);
  return (
    <main>
      <EnquiryDialog page service={service} onClose={goHome} />
    </main>
  );
}
