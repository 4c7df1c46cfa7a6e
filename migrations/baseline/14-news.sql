-- The agency's news, and copies of the feeds that are shown beside them.

create table public.news_posts (
  id uuid primary key default gen_random_uuid(),
  title text not null check (length(title) between 1 and 200),
  content text not null check (length(content) between 1 and 4000),
  url text not null check (url ~ '^(/|https://)'),
  published_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table public.news_posts is 'The agency''s news. Visitors see what is published.';
comment on column public.news_posts.url is 'A path on this site or a whole address.';
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
   'A document report names its kind, its language and its key facts, and each fact carries the place in the document that it comes from, so that you can check it in seconds.',
   '/#documents', now() - interval '1 day'),
  ('A failed upload no longer costs a credit',
   'A credit is reserved when an upload starts and spent only when the file is safely stored. If the connection breaks, the credit comes back by itself.',
   '/#documents', now() - interval '6 days'),
  ('Analysing a document again is free',
   'Uploading a document costs one credit. Analysing it, trying again after a failure and reading the report cost nothing more.',
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
