import type { Block, Report } from '@northline/document-reader/report.contract';

/** Where the sample is served; both files are made by `scripts/docs/sample-report.ts` and kept in `src/site/public/sample`. */
export const SAMPLE = {
  file: '/sample/tenancy-agreement.pdf',
  report: '/sample/report.json',
  fileName: 'tenancy-agreement.pdf',
} as const;

/** `/sample/report.json`: what the product's own reader made of the sample document. */
export interface SampleReport {
  readonly report: Report;
  readonly blocks: readonly Block[];
}

/** Facts of the sample report, as it has them; a test compares. */
export const SAMPLE_FACTS = [
  { label: 'Landlord', value: 'Eleanor Whitcombe', page: 1 },
  { label: 'Rent', value: '£1,125.00', page: 1 },
  { label: 'End date', value: '31 March 2027', page: 1 },
  { label: 'Notice period', value: 'two months', page: 1 },
] as const;
