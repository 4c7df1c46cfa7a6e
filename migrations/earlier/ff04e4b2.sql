-- From the 82 files of ff04e4b2 (ff04e4b2.sha256) to the baseline: its tables and functions that the specification does
-- not name leave `public`. The functions and comments of the baseline are put in place after this.

create schema northline_app;
grant usage on schema northline_app to anon, authenticated, service_role;

alter table public.analysis_corrections set schema northline_app;
alter table public.analysis_index set schema northline_app;
alter table public.analysis_invoice_marks set schema northline_app;
alter table public.analysis_passages set schema northline_app;
alter table public.analysis_reports set schema northline_app;
alter table public.analysis_shares set schema northline_app;
alter table public.bookings set schema northline_app;
alter table public.course_lessons set schema northline_app;
alter table public.course_messages set schema northline_app;
alter table public.course_uploads set schema northline_app;
alter table public.courses set schema northline_app;
alter table public.file_tags set schema northline_app;
alter table public.live_call_words set schema northline_app;
alter table public.live_calls set schema northline_app;
alter table public.message_files set schema northline_app;
alter table public.messages set schema northline_app;
alter table public.team_changes set schema northline_app;
alter table public.team_files set schema northline_app;
alter table public.team_members set schema northline_app;
alter table public.teams set schema northline_app;
alter function public.create_course(text) set schema northline_app;
alter function public.delete_course(uuid) set schema northline_app;
alter function public.enquiries_in_thread() set schema northline_app;
alter function public.move_lesson(uuid, uuid) set schema northline_app;
alter function public.order_course_lessons(uuid[]) set schema northline_app;
alter function public.order_courses(uuid[]) set schema northline_app;
alter function public.read_messages(uuid[]) set schema northline_app;
alter function public.tag_files(uuid[], text, boolean) set schema northline_app;
alter function public.team_credits() set schema northline_app;
alter function public.unfinished_uploads(text) set schema northline_app;

create view northline_app.files with (security_invoker = true) as
  select f.*, coalesce(t.tags, '{}') as tags
  from public.user_files f left join northline_app.file_tags t on t.file_id = f.id;
grant select on northline_app.files to authenticated, service_role;

update private.personal_data set table_name = 'northline_app' || substr(table_name, 7) where to_regclass(table_name) is null;
update private.personal_data
   set found_by = replace(found_by, 'public.team_members', 'northline_app.team_members')
 where table_name = 'northline_app.teams';

-- Kept changes name the former places: clients that were away read everything again.
update realtime.change_log set epoch = default;
