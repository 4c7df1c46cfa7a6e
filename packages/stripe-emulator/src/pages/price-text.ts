const POUNDS = { style: 'currency', currency: 'GBP' } as const;

/** Pence as pounds: `£15`, `£15.50`. */
export function formatPence(pence: number): string {
  const minimumFractionDigits = pence % 100 === 0 ? 0 : 2;
  return (pence / 100).toLocaleString('en-GB', { ...POUNDS, minimumFractionDigits });
}
