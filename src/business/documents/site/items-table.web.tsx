import type { Items } from '@northline/document-reader/report.contract';
import { CiteChips } from '../viewer/quote-jump.web.tsx';

/** The meaning of the sum under the table. */
const SUMS: Readonly<Record<NonNullable<Items['sumIs']>, string>> = {
  net_total: 'It is the net total of the document.',
  total: 'It is the total of the document.',
  subtotal: 'The document prints this sum.',
};

/** The items of a bill: name, quantity, price of one, amount, and their places. */
export function ItemsTable({ items }: { items: Items | undefined }) {
  if (items === undefined || items.rows.length === 0) return null;
  const { rows, sum, sumIs, source } = items;
  const hasRate = rows.some(({ taxRate }) => taxRate !== undefined);
  return (
    <section className="panel pad" aria-labelledby="items-title">
      <h2 id="items-title">Items</h2>
      {source === 'xml' && <p className="meta">From the e-invoice data inside the file.</p>}
      <table className="items">
        <thead>
          <tr>
            <th scope="col">Item</th>
            <th scope="col">Quantity</th>
            <th scope="col">Price</th>
            {hasRate && <th scope="col">Tax</th>}
            <th scope="col">Amount</th>
            <th scope="col">Where found</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ text, quantity, unit, price, discount, taxRate, amount, cites }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: items have no name of their own and are never moved.
            <tr key={index}>
              <th scope="row">{text}</th>
              <td className="num" data-label="Quantity">
                {[quantity, unit].filter(Boolean).join(' ')}
              </td>
              <td className="num" data-label="Price">
                {[price, discount === undefined ? undefined : `less ${discount}%`].filter(Boolean).join(', ')}
              </td>
              {hasRate && (
                <td className="num" data-label="Tax">
                  {taxRate === undefined ? '' : `${taxRate}%`}
                </td>
              )}
              <td className="num" data-label="Amount">
                {amount}
              </td>
              <td>
                <CiteChips cites={cites.slice(-1)} />
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">Sum</th>
            <td className="num" colSpan={hasRate ? 4 : 3} data-label="Amount">
              {sum}
            </td>
            <td />
          </tr>
        </tfoot>
      </table>
      {sumIs !== undefined && <p className="meta">{SUMS[sumIs]}</p>}
    </section>
  );
}
