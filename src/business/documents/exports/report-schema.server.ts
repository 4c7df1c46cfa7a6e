import { reportSchema } from '@northline/document-reader/report.contract';
import { z } from 'zod';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import { REPORT_SCHEMA } from './report-export.contract.ts';

/** ISO 4217, for amounts; absent if nothing in the document names a currency. */
const currency = z.string().max(200).optional();

/** The JSON of `export-report`: a report with the currency of its amounts and the corrections of people. */
const exportedSchema = reportSchema.extend({
  fields: z.array(reportSchema.shape.fields.element.extend({ currency })).max(200),
  items: reportSchema.shape.items.unwrap().extend({ currency }).optional(),
  corrections: z.array(
    z.object({
      key: z.string(),
      /** The analyser's value. */
      original: z.string(),
      value: z.string(),
      normalized: z.string().nullable(),
      currency,
      corrected_at: z.iso.datetime(),
    }),
  ),
});

/** The JSON Schema (draft 2020-12) of the exported `report/1`. */
export function reportJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(exportedSchema, { target: 'draft-2020-12' });
  return { $schema, $id: 'urn:northline:report:1', title: 'report/1', ...schema };
}

/** `GET /functions/v1/report-schema`: the schema of the exported JSON, for everybody, without a key. */
export function mountReportSchema(http: HttpContext): void {
  const text = JSON.stringify(reportJsonSchema(), undefined, 2);
  http.server.get(REPORT_SCHEMA, (_request, reply) =>
    reply
      .header('cache-control', 'public, max-age=3600')
      .type('application/schema+json; charset=utf-8')
      .send(text),
  );
}
