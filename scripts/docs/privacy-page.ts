import type pg from 'pg';

const BEGIN = '<!-- record: written by `npm run docs` -->';
const END = '<!-- end of the record -->';
const ERASURE: Readonly<Record<string, string>> = {
  account: 'goes with the account',
  deleted: 'is deleted',
  kept: 'stays',
};

/**
 * The page with the processing record from a migrated database. @throws Error when the page has no place for
 * it
 */
export async function withPrivacyRecord(client: pg.Client, page: string): Promise<string> {
  const { rows } = await client.query<
    Record<'table_name' | 'holds' | 'purpose' | 'on_erasure' | 'kept', string>
  >('select table_name, holds, purpose, on_erasure, kept from private.personal_data order by table_name');
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin === -1 || end === -1) throw new Error(`docs/privacy.md has no ${BEGIN} … ${END}.`);
  const lines = rows.map(
    (row) =>
      `| ${row.holds} | ${row.purpose} | ${row.kept} | ${ERASURE[row.on_erasure] ?? row.on_erasure} | \`${row.table_name}\` |`,
  );
  const table = [
    '| What | For | Kept | When a person is erased it | Where |',
    '|---|---|---|---|---|',
    ...lines,
  ];
  return `${page.slice(0, begin)}${BEGIN}\n${table.join('\n')}\n${page.slice(end)}`;
}
