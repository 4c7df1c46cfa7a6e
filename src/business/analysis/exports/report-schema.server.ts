import { reportSchema } from '@northline/document-reader/report.contract';
import { z } from 'zod';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import { REPORT_SCHEMA } from './report-export.contract.ts';

/** ISO 4217, of amounts; absent where nothing in the document names one. */
const currency = z.string().max(200).optional();

/** What `export-report` gives as JSON: a report with the currency of its amounts and the corrections that a person made. */
const exportedSchema = reportSchema.extend({
  fields: z.array(reportSchema.shape.fields.element.extend({ currency })).max(200),
  items: reportSchema.shape.items.unwrap().extend({ currency }).optional(),
  corrections: z.array(
    z.object({
      key: z.string(),
      /** The value that was read. */
      original: z.string(),
      value: z.string(),
      normalized: z.string().nullable(),
      currency,
      corrected_at: z.iso.datetime(),
    }),
  ),
});

/** The JSON Schema (draft 2020-12) of `report/1` as it is exported. */
export function reportJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(exportedSchema, { target: 'draft-2020-12' });
  return { $schema, $id: 'urn:northline:report:1', title: 'report/1', ...schema };
}

/** `GET /functions/v1/report-schema`: the schema of the exported JSON, the same for all and without a key. */
export function mountReportSchema(http: HttpContext): void {
  const text = JSON.stringify(reportJsonSchema(), undefined, 2);
  http.server.get(REPORT_SCHEMA, (_request, reply) =>
    reply
      .header('cache-control', 'public, max-age=3600')
      .type('application/schema+json; charset=utf-8')
      .send(text),
  );
}
