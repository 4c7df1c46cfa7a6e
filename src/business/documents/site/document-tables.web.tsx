import type { Table } from '@northline/document-reader/report.contract';
import { unlistedTables } from '@northline/document-reader/unlisted-tables.contract';
import { useState } from 'react';
import { CiteChips } from '../viewer/quote-jump.web.tsx';

/** Rows that are visible before somebody asks for all. */
const FIRST_ROWS = 6;

interface ShownTables {
  readonly tables: readonly Table[] | undefined;
  /** Number of tables that the report leaves out. */
  readonly leftOut: number | undefined;
}

/** The tables of a document, each with its place. */
export function DocumentTables({ tables = [], leftOut = 0 }: ShownTables) {
  if (tables.length === 0 && leftOut === 0) return null;
  return (
    <section className="panel pad" aria-labelledby="tables-title">
      <h2 id="tables-title">Tables</h2>
      {tables.map((table, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: tables have no name of their own and are never moved.
        <DocumentTable key={index} table={table} name={`Table ${index + 1}`} />
      ))}
      {leftOut > 0 && <p className="meta">{unlistedTables(leftOut)}</p>}
    </section>
  );
}

function DocumentTable({ table, name }: { table: Table; name: string }) {
  const { header, rows, leftOut, cites } = table;
  const [all, setAll] = useState(false);
  const shown = all ? rows : rows.slice(0, FIRST_ROWS);
  return (
    <>
      <h3>
        {name} <CiteChips cites={cites} />
      </h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls */}
      <section className="data-table" aria-label={name} tabIndex={0}>
        <table>
          {header.length > 0 && (
            <thead>
              <tr>
                {header.map((text, column) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: columns are never moved.
                  <th key={column} scope="col">
                    {text}
                  </th>
                ))}
              </tr>
            </thead>
          )}
          <tbody>
            {shown.map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no name of their own and are never moved.
              <tr key={index}>
                {row.map((text, column) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: columns are never moved.
                  <td key={column}>{text}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {shown.length < rows.length && (
        <button type="button" className="btn quiet small" onClick={() => setAll(true)}>
          Show all {rows.length} rows
        </button>
      )}
      <CheckedSums table={table} />
      {leftOut > 0 && (
        <p className="meta">
          {leftOut === 1 ? '1 more row is not listed here.' : `${leftOut} more rows are not listed here.`}
        </p>
      )}
    </>
  );
}

/** Names the sums in the last row that are right. It says nothing about the other figures, as not all are sums. */
function CheckedSums({ table: { header, rows, summed, carried = [] } }: { table: Table }) {
  if (summed.length === 0) return null;
  const figures = (rows.at(-1) ?? []).flatMap((text, column) => (/\d/.test(text) ? [column] : []));
  const isAll = figures.every((column) => summed.includes(column));
  const names = summed.map((column) => header[column] || `column ${column + 1}`);
  return (
    <p className="meta">
      {isAll
        ? 'Checked: its last row is the sum of the rows above.'
        : `Checked in ${names.join(', ')}: the last row is the sum of the rows above. Its other figures could not be confirmed.`}
      {carried.length > 0 && ' Subtotals, such as those at the end of a page, are not added again.'}
    </p>
  );
}
