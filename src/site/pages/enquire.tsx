import { useEffect, useState } from 'react';
import { EnquiryDialog } from '../../business/enquiries/site/enquiry-dialog.web.tsx';
import { site } from '../../ui/brand.ts';
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

/** The service in the query parameter `service`, if we offer it. */
function enquiryServiceOf(search: string): string | undefined {
  const asked = new URLSearchParams(search).get('service');
  return site.enquiryServices.find((service) => service === asked);
}
