import type { Attack } from './attack.ts';

const OWN = 'tests/security';
const BILLING = 'src/business/billing';

/** Attacks on payments and credits. */
export const ON_MONEY: readonly Attack[] = [
  {
    number: 31,
    attack: 'Forged, old, changed, repeated and reordered payment events',
    holds: "The state equals the provider's, and credits are granted once.",
    tests: [
      `${OWN}/money-attacks.test.ts | attack 31: `,
      `${BILLING}/webhook-receipt.test.ts | a webhook is refused (docs/security-attacks.md, attack 31)`,
      `${BILLING}/webhook-receipt.test.ts | one delivered a hundred times grants once`,
      `${BILLING}/webhook-receipt.test.ts | in reversed order, under new ids, leave the state of the provider`,
      `${BILLING}/webhook-receipt.test.ts | two processes that process the same events grant once`,
      'tests/histories/billing-histories.test.ts | after any history',
    ],
  },
  {
    number: 32,
    attack: 'Prices that are not sold, foreign return addresses',
    holds:
      'A price outside the catalogue or of another mode, the Business Tier, negative or fractional amounts, a foreign `success_url`: 400.',
    tests: [
      `${BILLING}/checkout/plan-purchase.test.ts | checkout refuses (docs/security-attacks.md, attack 32)`,
    ],
  },
  {
    number: 33,
    attack: "Claiming another person's purchase",
    holds:
      "Another person's, a used or an unpaid session, or somebody else's `user_id`: 403 and an audit entry.",
    tests: [
      `${BILLING}/checkout/customer-link.test.ts | link-customer refuses with 403 and an audit entry (docs/security-attacks.md, attack 33)`,
      `${BILLING}/customers/customer-removal.test.ts | a purchase paid on one device is claimed on another by the mailed link`,
    ],
  },
  {
    number: 34,
    attack: 'The last credit spent by many at once',
    holds:
      'Exactly one of fifty uploads wins; after a crash the credit is back or the file is there, never neither or both.',
    tests: [
      `${OWN}/money-attacks.test.ts | attack 34: `,
      'src/business/files/credit-reservation.test.ts | fifty uploads that skip the payment fight for one reserved credit: one wins',
    ],
  },
  {
    number: 35,
    attack: 'Storms of refunds, disputes and changes, jumps of the clock',
    holds: 'What a customer may use is a function of the ledger alone.',
    tests: [
      `${OWN}/money-attacks.test.ts | attack 35: `,
      `tests/payments/live-provider.test.ts | a dispute takes the credits, a won one gives them back`,
      'tests/histories/billing-histories.test.ts | after any history',
    ],
  },
];
