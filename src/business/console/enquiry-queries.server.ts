import { z } from 'zod';
import type { Queries } from '../../kernel/resources/database/database.ts';
import { uncheckedSql } from '../../kernel/resources/database/fixed-sql.ts';
import {
  ENQUIRY_LISTS,
  type EnquiryList,
  type EnquiryPage,
  type OperatorEnquiry,
} from './console.contract.ts';
import {
  containing,
  declareForOperators,
  numberEnding,
  type OperatorScope,
  pageOf,
  SEARCH,
} from './operator-gate.server.ts';

const PER_PAGE = 50;

/** One mark alone does not hold an enquiry back: other clients than our pages send no proof of work. */
const IS_SUSPECT = "suspect_reasons <> '{}' and suspect_reasons <> '{no proof of work}'";
const LISTS: Readonly<Record<EnquiryList, string>> = {
  open: `replied_at is null and not (${IS_SUSPECT})`,
  mine: 'replied_at is null and is_mine',
  suspect: `replied_at is null and ${IS_SUSPECT}`,
  answered: 'replied_at is not null',
  all: 'true',
};

/** What the list and the export take. */
export const ENQUIRY_QUERY = z.object({
  list: z.enum(ENQUIRY_LISTS).default('open'),
  q: SEARCH,
  after: z.string().max(100).default(''),
  /** Only this one, where it is in the list. */
  id: z.string().max(100).default(''),
});

/** Enquiries: what is due first stands first, answered ones by their age. */
export function serveEnquiries(scope: OperatorScope): void {
  declareForOperators(scope, {
    name: 'enquiries',
    method: 'GET',
    input: ENQUIRY_QUERY,
    async answer(queries, query): Promise<EnquiryPage> {
      const rows = await findEnquiries(queries, query, PER_PAGE + 1);
      return pageOf(
        rows,
        PER_PAGE,
        (row) => row,
        (row) => row.id,
      );
    },
  });
}

/** The enquiries of a list that hold the words, after the one with the id `after`. */
export function findEnquiries(
  queries: Queries,
  { list, q, after, id }: z.output<typeof ENQUIRY_QUERY>,
  most: number,
): Promise<OperatorEnquiry[]> {
  const isOpen = list === 'open' || list === 'mine' || list === 'suspect';
  const [order, further] = isOpen ? ['due_at, id', '>'] : ['due_at desc, id desc', '<'];
  return queries.many(
    uncheckedSql<OperatorEnquiry>(
      `select id, name, email, phone, company_name, website, enquiry_type, additional_notes, course_description, user_id,
       suspect_reasons, created_at, due_at, warned_at, replied_at, replied_by, note, delivery, assignee,
       coalesce((select json_agg(json_build_object('body', r.body, 'author', r.author, 'mailed_at', r.mailed_at,
                                                   'created_at', r.created_at) order by r.created_at, r.id)
                 from operator.enquiry_replies r where r.enquiry_id = enquiries.id), '[]') as replies
     from operator.enquiries
     where ${LISTS[list]}
       and ($1 = '' or concat_ws(' ', id, name, email, company_name, enquiry_type, additional_notes,
                                 course_description, note) ilike $2
            or $6 <> '' and regexp_replace(phone, '\\D', '', 'g') like $6)
       and ($3 = '' or (due_at, id) ${further} (select due_at, id from operator.enquiries where id = $3))
       and ($5 = '' or id = $5)
     order by ${order} limit $4`,
      'composed',
    ),
    [q, containing(q), after, most, id, numberEnding(q)],
  );
}
