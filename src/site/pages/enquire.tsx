import { useEffect, useState } from 'react';
import { EnquiryDialog } from '../../features/enquiries/enquiry-dialog.web.tsx';
import { type EnquiryService, enquiryServiceOf } from '../../features/enquiries/enquiry-service.web.ts';
import { useWayHome } from '../use-way-home.ts';

/** The enquiry form as a page; `?service=` preselects. */
export default function EnquirePage() {
  const goHome = useWayHome();
  const [service, setService] = useState<EnquiryService>();
  useEffect(() => setService(enquiryServiceOf(location.search)), []);
  return (
    <main>
      <EnquiryDialog page service={service} onClose={goHome} />
    </main>
  );
}
