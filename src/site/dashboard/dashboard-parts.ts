import { PAGES } from '../../kernel/contract/routes.ts';
import { lazyPart } from '../../ui/parts/lazy-part.tsx';

// Each of these modules is fetched when its tab is opened; Files, where people arrive, comes with the page.
const account = () => import('./account-part.tsx');
const billing = () => import('./billing-part.tsx');
const courses = () => import('../../business/courses/site/course-tab.web.tsx');
const fields = () => import('../../business/documents/own-fields/own-fields-page.web.tsx');
const invoices = () => import('../../business/documents/invoices/invoices-page.web.tsx');
const messages = () => import('./messages-part.tsx');
const rules = () => import('../../business/documents/rules/rules-page.web.tsx');
const search = () => import('../../business/documents/site/search-page.web.tsx');

export const AccountPart = lazyPart(account, ({ AccountPart: Part }) => Part);
export const BillingPart = lazyPart(billing, ({ BillingPart: Part }) => Part);
export const CourseTab = lazyPart(courses, ({ CourseTab: Part }) => Part);
export const InvoicesPage = lazyPart(invoices, ({ InvoicesPage: Part }) => Part);
export const MessagesPart = lazyPart(messages, ({ MessagesPart: Part }) => Part);
export const OwnFieldsPage = lazyPart(fields, ({ OwnFieldsPage: Part }) => Part);
export const RulesPage = lazyPart(rules, ({ RulesPage: Part }) => Part);
export const SearchPage = lazyPart(search, ({ SearchPage: Part }) => Part);

const MODULES: Readonly<Record<string, () => Promise<unknown>>> = {
  [PAGES.account.path]: account,
  [PAGES.billing.path]: billing,
  [PAGES.courses.path]: courses,
  [PAGES.fields.path]: fields,
  [PAGES.invoices.path]: invoices,
  [PAGES.messages.path]: messages,
  [PAGES.rules.path]: rules,
  [PAGES.search.path]: search,
};

/** Fetches the module of a tab, so that it is there when the tab is shown. A failure is reported when it is shown. */
export function fetchPart(path: string): void {
  MODULES[path]?.().catch(() => {});
}
