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
