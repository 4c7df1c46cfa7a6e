import type { ReactNode } from 'react';
import { PAGES } from '../../kernel/contract/routes.ts';

/** Options with which the enquiry dialog opens. */
export interface EnquiryOpening {
  readonly service?: string;
}

/** Opens the enquiry dialog over the page. */
export type OpenEnquiry = (opening: EnquiryOpening) => void;

interface EnquireLinkProps extends EnquiryOpening {
  open: OpenEnquiry;
  look?: 'ink' | 'signal' | 'quiet';
  children: ReactNode;
}

/** A link to the enquiry page. Once the application is loaded, it opens the dialog. */
export function EnquireLink({ open, look = 'ink', service, children }: EnquireLinkProps) {
  const query = service === undefined ? '' : `?service=${encodeURIComponent(service)}`;
  return (
    <a
      className={look === 'ink' ? 'btn' : `btn ${look}`}
      href={PAGES.enquire.path + query}
      data-live=""
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        open(service === undefined ? {} : { service });
      }}
    >
      {children}
    </a>
  );
}
