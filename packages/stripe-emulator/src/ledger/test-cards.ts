/** How the payments of a card end. */
export type CardBehaviour =
  | 'succeeds'
  | 'declined'
  | 'authentication'
  | 'always_authentication'
  | 'fails_later'
  | 'expired'
  | 'insufficient_funds'
  | 'disputed';

/** The answers of a bank that declines, by the card's behaviour (Stripe's codes). */
export const DECLINES: Partial<Record<CardBehaviour, { code: string; message: string }>> & {
  expired: { code: string; message: string };
} = {
  declined: { code: 'card_declined', message: 'Your card was declined.' },
  fails_later: { code: 'card_declined', message: 'Your card was declined.' },
  expired: { code: 'expired_card', message: 'Your card has expired.' },
  insufficient_funds: { code: 'insufficient_funds', message: 'Your card has insufficient funds.' },
};

/** A card without its number: what a provider may show and store. */
export interface Card {
  readonly brand: string;
  readonly last4: string;
  readonly exp_month: number;
  readonly exp_year: number;
  readonly behaviour: CardBehaviour;
}

/** The fields of the card page's form. */
export interface CardForm {
  readonly email: string;
  readonly number: string;
  readonly expiry: string;
  readonly cvc: string;
  readonly name: string;
}

/** Why a field is refused, by the field's name. */
export type CardErrors = Partial<Record<keyof CardForm, string>>;

/** The test cards of the card page, with its words about them (the numbers are Stripe's own). */
export const TEST_CARDS: readonly { number: string; behaviour: CardBehaviour; about: string }[] = [
  { number: '4242 4242 4242 4242', behaviour: 'succeeds', about: 'the payment succeeds' },
  { number: '4000 0000 0000 0002', behaviour: 'declined', about: 'the card is declined' },
  { number: '4000 0025 0000 3155', behaviour: 'authentication', about: 'the bank asks for confirmation' },
  {
    number: '4000 0000 0000 0341',
    behaviour: 'fails_later',
    about: 'the first payment succeeds, renewals fail',
  },
  {
    number: '4000 0027 6000 3184',
    behaviour: 'always_authentication',
    about: 'the bank asks for confirmation each time',
  },
  { number: '4000 0000 0000 0069', behaviour: 'expired', about: 'the card has expired' },
  { number: '4000 0000 0000 9995', behaviour: 'insufficient_funds', about: 'there is too little money' },
  { number: '4000 0000 0000 0259', behaviour: 'disputed', about: 'the payment succeeds and is disputed' },
];

/** Whether a card has expired at `now`, epoch seconds. */
export function isOver(card: Pick<Card, 'exp_month' | 'exp_year'>, now: number): boolean {
  return Date.UTC(card.exp_year, card.exp_month, 1) / 1000 <= now;
}

const digits = (text: string): string => text.replace(/[\s-]/g, '');
const LONGEST_EMAIL = 254;

/** Checks the card form as a real card page does. `now` decides whether the card has expired. */
export function readCard(form: CardForm, now: Date): { card: Card } | { errors: CardErrors } {
  const errors: CardErrors = {};
  if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(form.email) || form.email.length > LONGEST_EMAIL) {
    errors.email = 'Enter an email address, such as name@example.com.';
  }
  const number = digits(form.number);
  if (!/^\d{13,19}$/.test(number) || !fitsChecksum(number)) errors.number = 'Your card number is not valid.';
  const expiry = readExpiry(form.expiry);
  if (expiry === undefined) errors.expiry = 'Enter the expiry date as MM / YY.';
  else if (new Date(expiry.year, expiry.month, 1) <= now) errors.expiry = 'Your card has expired.';
  if (!/^\d{3,4}$/.test(form.cvc.trim())) errors.cvc = 'Enter the 3 or 4 digits of the security code.';
  if (form.name.trim() === '') errors.name = 'Enter the name on the card.';
  const known = TEST_CARDS.find((card) => digits(card.number) === number);
  if (errors.number === undefined && known === undefined) {
    errors.number = 'This is a test page: please use one of the test cards, never a real card.';
  }
  if (Object.keys(errors).length > 0 || expiry === undefined || known === undefined) return { errors };
  return {
    card: {
      brand: 'visa',
      last4: number.slice(-4),
      exp_month: expiry.month,
      exp_year: expiry.year,
      behaviour: known.behaviour,
    },
  };
}

/**
 * Month (1-12) and year, also without the slash, which numeric keypads lack; undefined where it is not a
 * date.
 */
function readExpiry(text: string): { month: number; year: number } | undefined {
  const match = /^\s*(\d{2}|\d(?=\s*\/))\s*\/?\s*(\d{2}|\d{4})\s*$/.exec(text);
  const month = Number(match?.[1]);
  const year = Number(match?.[2]) + (match?.[2]?.length === 2 ? 2000 : 0);
  return match !== null && month >= 1 && month <= 12 ? { month, year } : undefined;
}

/** The checksum of card numbers (ISO/IEC 7812-1, annex B). */
function fitsChecksum(number: string): boolean {
  let sum = 0;
  for (const [index, digit] of [...number].reverse().entries()) {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}
