-- Counting somebody's files reads no rows, however many are others' or their own.

create index user_files_counted_idx on public.user_files (user_id) where deleted_at is null;
