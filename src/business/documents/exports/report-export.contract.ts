import type { Field, Report } from '@northline/document-reader/report.contract';
import { isIsoDay } from '../../../kernel/contract/dates.ts';
import { SERVICES } from '../../../kernel/contract/routes.ts';

/** `GET /functions/v1/export-report?file_id=…&format=…`: a report as a file. */
export const EXPORT_REPORT = '/functions/v1/export-report';

/** `GET /functions/v1/searchable-pdf?file_id=…`: a scan as a PDF whose words can be searched and selected. */
export const SEARCHABLE_PDF = SERVICES.searchablePdf;

/** `GET`: the JSON Schema of the exported JSON. */
export const REPORT_SCHEMA = '/functions/v1/report-schema';

/** Formats in which a report can be exported, with the labels of their buttons. */
export const EXPORT_FORMATS = {
  pdf: 'PDF of the report',
  xlsx: 'Excel (facts, items, tables and summary)',
  csv: 'CSV (facts, items and tables)',
  json: 'JSON (report/1)',
  ics: 'Dates for a calendar',
} as const;

export type ExportFormat = keyof typeof EXPORT_FORMATS;

/** Whether a field is a day that a calendar can show. */
export const isCalendarDay = ({ type, normalized }: Pick<Field, 'type' | 'normalized'>): boolean =>
  type === 'date' && normalized !== undefined && isIsoDay(normalized);

/** Whether a report has a day for a calendar, so that one can be exported. */
export function hasCalendarDays(
  facts: readonly Field[],
  { obligations = [], parts = [] }: Pick<Report, 'obligations' | 'parts'>,
): boolean {
  return (
    [...facts, ...parts.flatMap(({ fields }) => fields)].some(isCalendarDay) ||
    obligations.some(({ deadline }) => deadline !== undefined)
  );
}
