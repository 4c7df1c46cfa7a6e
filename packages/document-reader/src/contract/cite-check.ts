import { type Block, type Cite, citeHolds, type Report } from './report.contract.ts';

/**
 * The report without citations whose quote is not in its block of this file (docs/security-attacks.md, attack 39).
 * A claim that loses a citation is no longer marked as verified.
 */
export function checkCites(report: Report, blocks: readonly Block[]): Report {
  const texts = new Map(blocks.map((block) => [block.id, block.text]));
  const holding = (cites: readonly Cite[]): Cite[] => cites.filter((cite) => citeHolds(cite, texts));
  return {
    ...report,
    summary: {
      ...report.summary,
      points: report.summary.points.map((claim) => {
        const cites = holding(claim.cites);
        return { ...claim, cites, verified: cites.length > 0 && cites.length === claim.cites.length };
      }),
    },
    fields: report.fields.map((field) => ({ ...field, cites: holding(field.cites) })),
    ...(report.items === undefined
      ? {}
      : {
          items: {
            ...report.items,
            rows: report.items.rows.map((item) => ({ ...item, cites: holding(item.cites) })),
          },
        }),
    ...(report.tables === undefined
      ? {}
      : { tables: report.tables.map((table) => ({ ...table, cites: holding(table.cites) })) }),
    ...(report.obligations === undefined
      ? {}
      : { obligations: report.obligations.map((each) => ({ ...each, cites: holding(each.cites) })) }),
    ...(report.pii === undefined
      ? {}
      : { pii: report.pii.map((each) => ({ ...each, cites: holding(each.cites) })) }),
    attention: report.attention.map((item) => ({ ...item, cites: holding(item.cites) })),
    outline: report.outline.filter(({ cite }) => citeHolds(cite, texts)),
  };
}
