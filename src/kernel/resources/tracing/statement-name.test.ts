import { expect, test } from 'vitest';
import { statementName } from './statement-name.ts';

test.each([
  ['select email from auth.users where id = $1', 'select auth.users'],
  ["insert into private.mails as m (recipient) values ('anna@example.com')", 'insert private.mails'],
  [
    'with gone as (delete from "public"."user_files" returning 1) select count(*) from gone',
    'delete public.user_files',
  ],
  ['update auth.users set email = $1', 'update auth.users'],
  ['select pg_advisory_xact_lock(1)', 'select'],
  ['begin', 'statement'],
])('%s is named without any of its values', (text, name) => {
  expect(statementName(text)).toBe(name);
});
