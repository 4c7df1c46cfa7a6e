import type { OperatorRole } from '../operator-roles.contract.ts';

/** The label of a role. */
export const ROLE_NAMES: Readonly<Record<OperatorRole, string>> = {
  owner: 'Owner',
  staff: 'Staff',
  reader: 'Reader',
};

/** What a role may do, in one sentence. */
export const ROLE_SENTENCES: Readonly<Record<OperatorRole, string>> = {
  owner:
    'Owners may do everything: also settings, the site, refunds, colleagues, the audit log, and deleting calls and recordings.',
  staff:
    'Staff do the daily work: enquiries, messages, calls, bookings, customers, credits, news and assistants.',
  reader: 'Readers see what staff see, and change nothing.',
};

/** A role after the words 'invites you as'. */
export const INVITED_AS: Readonly<Record<OperatorRole, string>> = {
  owner: 'an owner',
  staff: 'staff',
  reader: 'a reader',
};
