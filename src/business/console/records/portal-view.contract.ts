/** Pages of the portal that the agency can be shown. */
export const PORTAL_PAGES = ['files', 'courses', 'messages', 'billing'] as const;
export type PortalPageName = (typeof PORTAL_PAGES)[number];

/** A subscription as the customer's own pages get it. */
interface PortalPlan {
  readonly tier: string | null;
  readonly price_id: string | null;
  readonly subscription_status: string | null;
  /** Epoch seconds. */
  readonly current_period_end: number | null;
  readonly used: number;
}

/** What one page of the portal shows its customer, read with the customer's own rights. */
export type PortalPage =
  | {
      readonly page: 'files';
      readonly files: readonly {
        readonly id: string;
        readonly file_name: string;
        readonly file_size: number;
        readonly status: string;
        /** What the list says of a finished report, such as "Lease · £1,125.00". */
        readonly report_line: string | null;
        readonly created_at: string;
      }[];
    }
  | {
      readonly page: 'courses';
      readonly lessons: readonly {
        readonly id: string;
        readonly title: string;
        readonly state: string;
        readonly created_at: string;
      }[];
    }
  | {
      readonly page: 'messages';
      readonly messages: readonly {
        readonly id: string;
        readonly from_agency: boolean;
        readonly body: string;
        readonly sent_at: string;
      }[];
    }
  | {
      readonly page: 'billing';
      readonly credits: number;
      readonly storage_limit_bytes: number;
      readonly plans: readonly PortalPlan[];
      readonly history: readonly {
        readonly id: string;
        readonly amount: number;
        readonly what: string;
        readonly created_at: string;
      }[];
    };

/** `POST operator-portal` of `{id, page}`: a look, which is recorded. */
export interface PortalAnswer {
  readonly name: string;
  /** Until when the customer allows it, ISO 8601; null for a demo customer, whom nobody has to ask. */
  readonly until: string | null;
  readonly shown: PortalPage;
}

/** What the customer is told: until when the agency may look, and what it looked at. */
export interface SupportAccess {
  readonly until: string | null;
  readonly looks: readonly { readonly at: string; readonly page: string; readonly file?: string | null }[];
}

/** Code of the 403 while a customer does not allow it. */
export const NO_SUPPORT_ACCESS = 'no_support_access';
