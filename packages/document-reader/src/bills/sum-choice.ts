import type { PlacedAmount } from './bill-amounts.ts';
import { isTaxOf, type SumCandidate } from './sum-candidates.ts';

/** The sums of a bill, each with a confidence from 0 to 1. */
export interface BillSums {
  readonly gross?: SureAmount;
  readonly net?: SureAmount;
  /** Has several parts if a bill prints only the tax of each rate. */
  readonly tax?: { readonly parts: readonly PlacedAmount[]; readonly cents: number; readonly sure: number };
  /** The amount that is left to pay, if it is less than the total. */
  readonly payable?: SureAmount;
  /** Whether net sum and tax are printed and add up to the total. */
  readonly proven: boolean;
}

export interface SureAmount {
  readonly amount: PlacedAmount;
  readonly sure: number;
}

/** If there are more labelled amounts, the rest belong to items. */
const MOST = 60;
const LEAST_SCORE = 0.5;

interface Triple {
  readonly net: PlacedAmount;
  readonly tax: readonly PlacedAmount[];
  readonly gross: PlacedAmount;
  readonly score: number;
}

/**
 * Chooses the sums: the best three that add up (net + tax = total), or else the best labelled total. A net sum or a tax
 * without proof is kept only if it fits the total.
 *
 * @param all every amount on the bill, for parts without a label
 */
export function chooseSums(candidates: readonly SumCandidate[], all: readonly PlacedAmount[]): BillSums {
  const of = (...roles: string[]): SumCandidate[] =>
    candidates
      .filter(({ role }) => roles.includes(role))
      .sort((a, b) => b.score - a.score)
      .slice(0, MOST);
  const [nets, taxes, totals] = [of('net'), of('tax'), of('gross', 'payable')];
  const payable = bestOf(of('payable'));
  const triple = bestTriple({ nets, taxes, totals, all });
  const gross = bestOf(totals.map((total) => ({ ...total, score: total.score * priority(total) })));
  if (triple === undefined || isBetter(gross, triple)) return unproven(gross, { nets, taxes, payable, all });
  const sure = Math.min(0.97, 0.6 + triple.score / 10);
  return {
    gross: { amount: triple.gross, sure },
    net: { amount: triple.net, sure },
    ...(triple.tax.length === 0 ? {} : { tax: taxOf(triple.tax, sure) }),
    ...left(triple.gross, payable),
    proven: triple.tax.length > 0,
  };
}

function taxOf(parts: readonly PlacedAmount[], sure: number): NonNullable<BillSums['tax']> {
  return { parts, cents: parts.reduce((sum, { cents }) => sum + cents, 0), sure };
}

/** The amount left to pay, if it differs from the total. */
function left(gross: PlacedAmount, payable: SumCandidate | undefined): Pick<BillSums, 'payable'> {
  if (payable === undefined || payable.score < 0.7) return {};
  return payable.amount.cents === gross.cents
    ? {}
    : { payable: { amount: payable.amount, sure: payable.score } };
}

function priority({ role }: SumCandidate): number {
  return role === 'gross' ? 1 : 0.93;
}

/** The candidate with the highest score; among equals, the last on the page. */
function bestOf(candidates: readonly SumCandidate[]): SumCandidate | undefined {
  return candidates.reduce<SumCandidate | undefined>(
    (best, candidate) =>
      best === undefined ||
      candidate.score > best.score + 0.001 ||
      (Math.abs(candidate.score - best.score) <= 0.001 && isLater(candidate.amount, best.amount))
        ? candidate
        : best,
    undefined,
  );
}

function isLater(a: PlacedAmount, b: PlacedAmount): boolean {
  return a.cell.row > b.cell.row || (a.cell.row === b.cell.row && a.start >= b.start);
}

/** A labelled total beats three amounts further up that add up by chance. */
function isBetter(gross: SumCandidate | undefined, triple: Triple): boolean {
  return (
    gross !== undefined &&
    triple.score < 2 &&
    gross.score > 0.85 &&
    Math.abs(gross.amount.cents) > Math.abs(triple.gross.cents)
  );
}

interface Pool {
  readonly nets: readonly SumCandidate[];
  readonly taxes: readonly SumCandidate[];
  readonly totals: readonly SumCandidate[];
  readonly all: readonly PlacedAmount[];
}

function bestTriple(pool: Pool): Triple | undefined {
  const byCents = new Map<number, PlacedAmount>();
  for (const amount of pool.all) if (!byCents.has(amount.cents)) byCents.set(amount.cents, amount);
  const grosses = new Map<number, SumCandidate>();
  for (const total of pool.totals) {
    const known = grosses.get(total.amount.cents);
    if (known === undefined || total.score > known.score) grosses.set(total.amount.cents, total);
  }
  const triples = [
    ...netAndTax(pool, grosses, byCents),
    ...netAndTotal(pool, grosses, byCents),
    ...taxAndTotal(pool, grosses, byCents),
  ];
  return triples.reduce<Triple | undefined>(
    (best, triple) =>
      best === undefined || triple.score > best.score + 0.001 || isLaterTriple(triple, best) ? triple : best,
    undefined,
  );
}

function isLaterTriple(triple: Triple, best: Triple): boolean {
  return triple.score > best.score - 0.001 && isLater(triple.gross, best.gross);
}

type Grosses = ReadonlyMap<number, SumCandidate>;
type ByCents = ReadonlyMap<number, PlacedAmount>;

function netAndTax({ nets, taxes }: Pool, grosses: Grosses, byCents: ByCents): Triple[] {
  return nets.flatMap((net) =>
    taxes
      .filter(({ amount }) => amount !== net.amount && isTaxOf(amount.cents, net.amount.cents))
      .flatMap((tax) => withGross(net, tax, { grosses, byCents })),
  );
}

function withGross(
  net: SumCandidate,
  tax: SumCandidate,
  { grosses, byCents }: { grosses: Grosses; byCents: ByCents },
): Triple[] {
  const cents = net.amount.cents + tax.amount.cents;
  const total = grosses.get(cents);
  const found = { net: net.amount, tax: [tax.amount] };
  const score = net.score + tax.score;
  if (total !== undefined)
    return [
      { ...found, gross: total.amount, score: score + total.score + (tax.amount.cents === 0 ? 0.3 : 0.8) },
    ];
  const gross = byCents.get(cents);
  return gross === undefined || tax.amount.cents === 0 ? [] : [{ ...found, gross, score: score + 0.3 }];
}

/** Triples from a net sum and a total. Their tax is printed without a label, is the sum of several rates, or is zero. */
function netAndTotal({ nets, taxes }: Pool, grosses: Grosses, byCents: ByCents): Triple[] {
  return nets.flatMap((net) =>
    [...grosses.values()].flatMap((total) => {
      const cents = total.amount.cents - net.amount.cents;
      if (!isTaxOf(cents, net.amount.cents) || net.amount === total.amount) return [];
      const sum = net.score + total.score;
      const found = { net: net.amount, gross: total.amount };
      if (cents === 0) return untaxed({ ...found, tax: [], score: sum + 0.1 }, taxes);
      const parts = partsOf(cents, taxes);
      if (parts !== undefined) return [{ ...found, tax: parts, score: sum + 0.9 }];
      const tax = byCents.get(cents);
      return tax === undefined ? [] : [{ ...found, tax: [tax], score: sum + 0.4 }];
    }),
  );
}

const SURE_TAX = 0.75;

/** Drops a total that equals the net sum if a tax is printed: that tax has to be paid too. */
function untaxed(triple: Triple, taxes: readonly SumCandidate[]): Triple[] {
  const isTaxed = taxes.some(
    ({ amount, score }) => score > SURE_TAX && amount.cents !== 0 && isTaxOf(amount.cents, triple.net.cents),
  );
  return isTaxed ? [] : [triple];
}

function taxAndTotal({ taxes }: Pool, grosses: Grosses, byCents: ByCents): Triple[] {
  return taxes.flatMap((tax) =>
    [...grosses.values()].flatMap((total) => {
      const cents = total.amount.cents - tax.amount.cents;
      const net = byCents.get(cents);
      if (net === undefined || tax.amount.cents === 0 || tax.amount === total.amount) return [];
      if (!isTaxOf(tax.amount.cents, cents)) return [];
      return [{ net, tax: [tax.amount], gross: total.amount, score: tax.score + total.score + 0.4 }];
    }),
  );
}

/** Two or three taxes at different places that add up to the sum. */
function partsOf(cents: number, taxes: readonly SumCandidate[]): PlacedAmount[] | undefined {
  const amounts = taxes
    .map(({ amount }) => amount)
    .filter(
      (amount, index, all) => amount.cents !== 0 && all.findIndex((other) => isSame(other, amount)) === index,
    )
    .slice(0, 12);
  for (const [i, first] of amounts.entries()) {
    for (const [j, second] of amounts.slice(i + 1).entries()) {
      if (first.cents + second.cents === cents) return [first, second];
      const third = amounts
        .slice(i + j + 2)
        .find((other) => first.cents + second.cents + other.cents === cents);
      if (third !== undefined) return [first, second, third];
    }
  }
  return undefined;
}

function isSame(a: PlacedAmount, b: PlacedAmount): boolean {
  return a.cell.row === b.cell.row && a.cell.column === b.cell.column && a.start === b.start;
}

interface Rest {
  readonly nets: readonly SumCandidate[];
  readonly taxes: readonly SumCandidate[];
  readonly payable: SumCandidate | undefined;
  /** Every amount on the bill. */
  readonly all: readonly PlacedAmount[];
}

/** Income tax that the customer keeps back (IRPF, ritenuta) is printed below zero: net + VAT - withheld = total. */
function isWithheld(cents: number, all: readonly PlacedAmount[]): boolean {
  return cents > 0 && all.some((amount) => amount.cents === -cents);
}

function unproven(gross: SumCandidate | undefined, { nets, taxes, payable, all }: Rest): BillSums {
  if (gross === undefined || gross.score < LEAST_SCORE) return { proven: false };
  const total = gross.amount.cents;
  // Half a proof: the rest between net sum and total can be a tax, or the tax leaves a possible net sum.
  const net = nets.find(
    ({ amount, score }) =>
      score > 0.75 && amount.cents !== total && isTaxOf(total - amount.cents, amount.cents),
  );
  // If the only tax is zero, the total is the net sum.
  const untaxed = taxes.length > 0 && taxes.every(({ amount }) => amount.cents === 0);
  // If several taxes are printed, no single one is the whole tax.
  const strong = new Set(
    taxes.filter(({ amount, score }) => score > 0.8 && amount.cents !== 0).map(({ amount }) => amount.cents),
  );
  const tax =
    net === undefined && !untaxed && strong.size < 2
      ? taxes.find(({ amount, score }) => score > 0.8 && isTaxOf(amount.cents, total - amount.cents))
      : taxes.find(
          ({ amount }) => net !== undefined && isWithheld(net.amount.cents + amount.cents - total, all),
        );
  return {
    gross: { amount: gross.amount, sure: Math.min(0.9, gross.score) },
    ...(net === undefined ? {} : { net: { amount: net.amount, sure: 0.7 } }),
    ...(untaxed && net === undefined ? { net: { amount: gross.amount, sure: 0.65 } } : {}),
    ...(tax === undefined ? {} : { tax: taxOf([tax.amount], 0.7) }),
    ...left(gross.amount, payable),
    proven: false,
  };
}
