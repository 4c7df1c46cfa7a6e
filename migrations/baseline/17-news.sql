-- The agency's news, and copies of the feeds that are shown beside them.

create table public.news_posts (
  id uuid primary key default gen_random_uuid(),
  title text not null check (length(title) between 1 and 200),
  content text not null check (length(content) between 1 and 4000),
  url text check (url ~ '^(/|https://)'),
  published_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table public.news_posts is 'The agency''s news. Visitors see what is published.';
comment on column public.news_posts.url is
  'Where there is more about it, a path on this site or a whole address; null where the article says everything.';
create index news_posts_published_at_idx on public.news_posts (published_at desc);

alter table public.news_posts enable row level security;

grant select on public.news_posts to anon, authenticated;
grant select, insert, update, delete on public.news_posts to service_role;

create policy news_posts_public on public.news_posts for select to anon, authenticated
  using (published_at <= now());
create policy news_posts_service on public.news_posts to service_role using (true) with check (true);

-- So that a fresh installation has something true to show; an operator replaces them.
insert into public.news_posts (title, content, url, published_at) values
  ('Every fact in a report now says where it stands',
   E'A document report names its kind, its language and its key facts, and each fact carries the place in the document that it comes from, so that you can check it in seconds.\n\nOpen a report and choose a fact: the page of the document opens beside it with the words marked. A fact that was read wrongly can be corrected there. The correction is kept with your name and time, and the words that were read stay beside it.\n\nWhere nothing was found, the report says so instead of guessing.',
   '/#documents', now() - interval '1 day'),
  ('A failed upload no longer costs a credit',
   E'A credit is reserved when an upload starts and spent only when the file is safely stored. If the connection breaks, the credit comes back by itself.\n\nThe same holds for a file that is refused, because it is too large, of a kind that cannot be read, or damaged: nothing is taken for it. The history of your credits shows every movement, also those that came back.',
   '/#documents', now() - interval '6 days'),
  ('Analysing a document again is free',
   E'Uploading a document costs one credit. Analysing it, trying again after a failure and reading the report cost nothing more.\n\nSo a document whose analysis failed can be tried again as often as you like, and a report can be read, exported and shared as long as the document is in your dashboard.',
   '/#plans', now() - interval '13 days');

create table private.feed_copies (
  url text primary key,
  etag text not null,
  last_modified text not null,
  items jsonb not null,
  fetched_at timestamptz not null default now()
);
comment on table private.feed_copies is
  'What the feeds of NEWS_FEEDS said last, so that a restart serves it while it asks again.';
comment on column private.feed_copies.etag is
  'Sent with the next request (RFC 9110 §13); empty when the feed gave none.';

alter table private.feed_copies enable row level security;

create view operator.news_posts with (security_barrier) as
  select n.id, n.title, n.content, n.url, n.published_at, n.updated_at
  from public.news_posts n where (select auth.is_operator());
comment on view operator.news_posts is 'All posts, also those that are dated in the future.';
grant select on operator.news_posts to authenticated, service_role;

create function operator.save_news(p_id uuid, p_title text, p_content text, p_url text, p_published_at timestamptz)
  returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  saved uuid;
begin
  perform private.operate('news.save', coalesce(p_id::text, 'new'), jsonb_build_object('title', p_title));
  if p_id is null then
    insert into public.news_posts (title, content, url, published_at)
      values (p_title, p_content, p_url, p_published_at) returning id into saved;
  else
    update public.news_posts
       set title = p_title, content = p_content, url = p_url, published_at = p_published_at, updated_at = now()
     where id = p_id returning id into saved;
  end if;
  return saved;
end $$;
comment on function operator.save_news(uuid, text, text, text, timestamptz) is
  'Writes a post, a new one without an id; null when there is no post of this id.';

create function operator.delete_news(p_id uuid) returns boolean
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.operate('news.delete', p_id::text);
  delete from public.news_posts where id = p_id;
  return found;
end $$;
comment on function operator.delete_news(uuid) is 'Deletes a post; false when there is no such post.';

revoke all on function
  operator.save_news(uuid, text, text, text, timestamptz), operator.delete_news(uuid) from public;
grant execute on function
  operator.save_news(uuid, text, text, text, timestamptz), operator.delete_news(uuid) to authenticated, service_role;
