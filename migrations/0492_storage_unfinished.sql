-- Documents go on after a lost line as lessons do: uploads that have not arrived whole are listed by bucket.

create function public.unfinished_uploads(p_bucket text) returns table (
    id uuid, path text, file_name text, modified jsonb, received bigint, length bigint, expires_at timestamptz)
  language sql stable security definer set search_path = ''
  as $$
  select upload.id, upload.name, coalesce(resumable.user_metadata ->> 'name', storage.filename(upload.name)),
         resumable.user_metadata -> 'modified', resumable.received, resumable.length,
         upload.expires_at
    from private.uploads upload join private.resumable_uploads resumable on resumable.id = upload.id
   where upload.bucket_id = p_bucket and upload.user_id = auth.uid() and upload.expires_at > now()
     and resumable.ticket_id is null and auth.second_factor_given()
   order by upload.created_at
$$;
comment on function public.unfinished_uploads(text) is
  'The caller''s uploads into a bucket that have not arrived whole: each can go on, or be ended, by its id. modified is when the file was changed last, as its sender said.';

revoke execute on function public.unfinished_uploads(text) from public;
grant execute on function public.unfinished_uploads(text) to authenticated, service_role;

drop function public.unfinished_course_uploads();
