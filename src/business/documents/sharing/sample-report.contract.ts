import type { Block, Report } from '@northline/document-reader/report.contract';

/** Addresses of the sample; `scripts/docs/sample-report.ts` writes both files into `src/site/public/sample`. */
export const SAMPLE = {
  file: '/sample/tenancy-agreement.pdf',
  report: '/sample/report.json',
  fileName: 'tenancy-agreement.pdf',
} as const;

/** `/sample/report.json`: the product's own reading of the sample document. */
export interface SampleReport {
  readonly report: Report;
  readonly blocks: readonly Block[];
}

/** Facts of the sample report, for pages that show some of them; a test compares them. */
export const SAMPLE_FACTS = [
  { label: 'Landlord', value: 'Eleanor Whitcombe', page: 1 },
  { label: 'Rent', value: '£1,125.00', page: 1 },
  { label: 'End date', value: '31 March 2027', page: 1 },
  { label: 'Notice period', value: 'two months', page: 1 },
] as const;
