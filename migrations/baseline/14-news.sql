-- What visitors wrote, and the agency's news.

create table public.enquiries (
  id text primary key check (id ~ '^(ENQ|COURSE)-[0-9]+-[a-z0-9]+$'),
  name text not null,
  email text not null,
  phone text,
  company_name text,
  website text,
  enquiry_type text not null,
  additional_notes text,
  course_description text,
  user_id uuid references auth.users (id) on delete set null,
  -- What its event in the outbox is about.
  event_subject uuid not null unique default gen_random_uuid(),
  -- Why it may be advertising; it is kept all the same (security: attack 38).
  suspect_reasons text[] not null default '{}',
  -- Keyed hashes: enough to count, nothing to look up.
  address_hash text not null,
  text_hash text not null,
  created_at timestamptz not null default now()
);
create index enquiries_created_at_idx on public.enquiries (created_at desc);
create index enquiries_address_hash_idx on public.enquiries (address_hash, created_at);
create index enquiries_text_hash_idx on public.enquiries (text_hash, created_at);
create index enquiries_user_id_idx on public.enquiries (user_id);

alter table public.enquiries enable row level security;
grant select, update, delete on public.enquiries to service_role;
create policy enquiries_service on public.enquiries to service_role using (true) with check (true);

create table public.news_posts (
  id uuid primary key default gen_random_uuid(),
  title text not null check (length(title) between 1 and 200),
  content text not null check (length(content) between 1 and 4000),
  -- A path on this site or a whole address.
  url text not null check (url ~ '^(/|https://)'),
  published_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
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
