import { CSV_START, csvLine } from '../../kernel/contract/csv.ts';
import { SERVICES } from '../../kernel/contract/routes.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { inSlices } from '../../kernel/http/json-slices.ts';
import type { OperatorEnquiry } from './console.contract.ts';
import { ENQUIRY_QUERY, findEnquiries } from './enquiry-queries.server.ts';
import { asOperator, inAgencyQueue, type OperatorScope } from './operator-gate.server.ts';

const MOST = 50_000;
const LIMIT = { name: 'operator export', count: 30, seconds: 60 };

const COLUMNS: readonly (keyof OperatorEnquiry)[] = [
  ...(['id', 'created_at', 'due_at', 'replied_at', 'replied_by', 'name', 'email', 'phone'] as const),
  ...(['company_name', 'website', 'enquiry_type', 'additional_notes', 'course_description'] as const),
  ...(['note', 'assignee', 'suspect_reasons'] as const),
];

/** `GET /functions/v1/operator-enquiries.csv?list=&q=`: the list as a file for spreadsheets. */
export function exportEnquiries({ http, resources }: OperatorScope): void {
  http.server.get(`${SERVICES.functions}/operator-enquiries.csv`, async (request, reply) => {
    const caller = await http.authenticate(request.headers);
    await http.rateLimiter.take(LIMIT, caller.userId ?? http.addressOf(request));
    const query = ENQUIRY_QUERY.safeParse(request.query);
    if (!query.success) throw new ServiceError(400, 'validation_failed', 'There is no such list.');
    const file = await inAgencyQueue(http, caller, async () =>
      csvFile(
        await asOperator(resources, caller, 'enquiries.csv', (queries) =>
          findEnquiries(queries, query.data, MOST),
        ),
      ),
    );
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', `attachment; filename="enquiries-${query.data.list}.csv"`)
      .header('cache-control', 'no-store')
      .send(file);
  });
}

/** The file in UTF-8; others have their turn while it is written. */
async function csvFile(rows: readonly OperatorEnquiry[]): Promise<Buffer> {
  const pieces = await inSlices(rows, (row) => csvLine(COLUMNS.map((column) => cellText(row[column]))));
  return Buffer.concat([Buffer.from(`${CSV_START}${csvLine(COLUMNS)}`), ...pieces]);
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? value.join('; ') : String(value);
}
