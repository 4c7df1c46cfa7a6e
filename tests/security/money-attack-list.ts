import type { Attack } from './attack.ts';

const OWN = 'tests/attacks';
const BILLING = 'src/features/billing';

/** Attacks on payments and credits. */
export const ON_MONEY: readonly Attack[] = [
  {
    number: 31,
    attack: 'Forged, old, changed, repeated and reordered payment events',
    tests: [
      `${OWN}/money-attacks.test.ts | attack 31: `,
      `${BILLING}/receive-webhook.test.ts | a webhook is refused (security.md, attack 31)`,
      `${BILLING}/receive-webhook.test.ts | one delivered a hundred times grants once`,
      `${BILLING}/receive-webhook.test.ts | in reversed order, under new ids, leave the state of the provider`,
      `${BILLING}/receive-webhook.test.ts | two processes that work the same events grant once`,
      'tests/histories/billing-histories.test.ts | after any history',
    ],
  },
  {
    number: 32,
    attack: 'Prices that are not sold, foreign return addresses',
    tests: [`${BILLING}/buy-plan.test.ts | checkout refuses (security.md, attack 32)`],
  },
  {
    number: 33,
    attack: "Claiming another person's purchase",
    tests: [
      `${BILLING}/link-customer.test.ts | link-customer refuses with 403 and an audit entry (security.md, attack 33)`,
      `${BILLING}/end-customers.test.ts | who pays on one device claims the purchase on another by the link that was mailed`,
    ],
  },
  {
    number: 34,
    attack: 'The last credit spent by many at once',
    tests: [
      `${OWN}/money-attacks.test.ts | attack 34: `,
      'src/features/files/keep-credits.test.ts | fifty uploads that skip the payment fight for one reserved credit: one wins',
    ],
  },
  {
    number: 35,
    attack: 'Storms of refunds, disputes and changes, jumps of the clock',
    tests: [
      `${OWN}/money-attacks.test.ts | attack 35: `,
      `${BILLING}/test-provider/live-provider.test.ts | a dispute takes the credits, a won one gives them back`,
      'tests/histories/billing-histories.test.ts | after any history',
    ],
  },
];
