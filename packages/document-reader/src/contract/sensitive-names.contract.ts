import type { SensitiveData } from './report.contract.ts';

/** What the page and the exports call each class. */
export const SENSITIVE_NAMES: Readonly<Record<SensitiveData['class'], string>> = {
  iban: 'Bank accounts (IBAN)',
  card: 'Payment cards',
  national_id: 'National numbers of people',
  birth_date: 'Dates of birth',
  health: 'Words on somebody’s health',
};
