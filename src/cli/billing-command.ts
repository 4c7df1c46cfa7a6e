import { formatMoney } from '@northline/vat/money';
import type { ExplainedBalance } from '../business/billing/customers/balance-explanation.server.ts';
import type { SyncedPrice } from '../business/billing/price-sync.server.ts';
import type { Settings } from '../kernel/config/settings.ts';
import { loadKeys } from '../kernel/resources/crypto/keys.ts';
import { type Command, type Outcome, UsageError } from './command.ts';
import { requestServer } from './server-request.ts';

/** Changes payments and credits for the operator; the running product does the work. */
export const billingCommand: Command = {
  summary: 'reconciles with the payment provider, makes its prices, explains and corrects balances',
  usage: [
    'reconcile                                   compares every customer with the provider, repairs, prints the drift',
    "sync                                        makes the provider's products and prices those of the catalogue",
    'explain CUSTOMER                            every entry that a balance is made of (email, user id or cus_…)',
    'correct CUSTOMER ±N REASON                  gives or takes credits',
    'override CUSTOMER PLAN BY REASON [UNTIL]    automations see this plan, until an ISO date',
    'end-override CUSTOMER BY                    ends it',
  ],
  async run(settings, [form = '', customer = '', ...rest]) {
    if (form === 'reconcile') return showDrift(await ask(settings, 'reconcile-billing'));
    const operate = (body: object) => ask(settings, 'operate-billing', { command: form, ...body });
    if (form === 'sync') return showPrices(await operate({}));
    const named = FORMS[form];
    if (named === undefined)
      throw new UsageError(form === '' ? 'Say what to do.' : `There is no billing ${form}.`);
    if (customer === '') throw new UsageError('Say for which customer.');
    return named(operate, customer, rest);
  },
};

type Operate = (body: object) => Promise<unknown>;
type Form = (operate: Operate, customer: string, rest: readonly string[]) => Promise<Outcome | string>;

/** The forms that name a customer. */
const FORMS: Readonly<Record<string, Form>> = {
  explain: async (operate, customer) => showBalance(await operate({ customer })),
  correct: async (operate, customer, [amount = '', ...reason]) =>
    showBalance(await operate({ customer, amount: Number(amount), reason: reason.join(' ') })),
  override: async (operate, customer, [plan = '', by = '', reason = '', until]) => {
    const end = until === undefined ? null : isoDate(until);
    return JSON.stringify(await operate({ customer, plan, by, reason, until: end }));
  },
  'end-override': async (operate, customer, [by = '']) => JSON.stringify(await operate({ customer, by })),
};

function isoDate(text: string): string {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw new UsageError(`${text} is no date: write it as 2027-01-31.`);
  return date.toISOString();
}

function showDrift(answer: unknown): Outcome {
  const outcome = answer as Record<string, number>;
  const { subscriptions = 0, grants = 0, refunds = 0, balances = 0, failed = 0 } = outcome;
  const lines = Object.entries(outcome).map(([name, count]) => `${name}: ${count}`);
  return {
    text: [...lines, `drift: ${subscriptions + grants + refunds + balances}`].join('\n'),
    exitCode: balances + failed > 0 ? 1 : 0,
  };
}

function showPrices(answer: unknown): string {
  const { prices, events } = answer as { prices: SyncedPrice[]; events: string[] };
  const lines = prices.map(
    (row) =>
      `${row.price_id}  ${formatMoney(row.amount_pence, row.currency)}  ${row.provider_price}  price ${row.price}, product ${row.product}`,
  );
  return [...lines, '', 'Events that the webhook endpoint needs:', ...events].join('\n');
}

function showBalance(answer: unknown): Outcome {
  const { customer, credits, explained, entries } = answer as ExplainedBalance;
  const lines = entries.map((entry) => {
    const amount = `${entry.amount > 0 ? '+' : ''}${entry.amount}`.padStart(6);
    const what = [
      entry.kind,
      entry.description,
      entry.source,
      entry.state === 'settled' ? null : entry.state,
    ];
    const open = entry.remaining ? `, ${entry.remaining} left` : '';
    return `${String(entry.at)}  ${amount}  = ${String(entry.balance).padStart(5)}  ${what.filter(Boolean).join(' · ')}${open}`;
  });
  const verdict = explained ? 'explained' : 'NOT EXPLAINED by the ledger';
  return {
    text: [...lines, `${customer}: ${credits} credits, ${verdict}`].join('\n'),
    exitCode: explained ? 0 : 1,
  };
}

async function ask(settings: Settings, name: string, body?: object): Promise<unknown> {
  const { service_role_key: key } = await loadKeys(settings.DATA_DIR);
  return requestServer(settings, {
    method: 'POST',
    path: `/functions/v1/${name}`,
    key,
    ...(body === undefined ? {} : { body }),
  });
}
