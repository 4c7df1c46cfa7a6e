import type { SensitiveData } from './report.contract.ts';

/** Names of the classes on the page and in exports. */
export const SENSITIVE_NAMES: Readonly<Record<SensitiveData['class'], string>> = {
  iban: 'Bank accounts (IBAN)',
  card: 'Payment cards',
  national_id: 'National numbers of people',
  birth_date: 'Dates of birth',
  health: 'Words on somebody’s health',
};
