/** Tables and functions for the data and realtime cases. */
export const FIXTURE = `
  create table public.notes (id int primary key, user_id uuid default auth.uid(), body text);
  alter table public.notes enable row level security;
  create policy own on public.notes to authenticated using ((select auth.uid()) = user_id) with check ((select auth.uid()) = user_id);
  grant all on public.notes to authenticated, service_role;

  create table public.authors (id int primary key, name text not null);
  create table public.books (
    id int primary key, author_id int references public.authors, title text, pages int, tags text[], extra jsonb,
    loaned int4range, blurb text, search tsvector generated always as (to_tsvector('english', blurb)) stored
  );
  create table public.shelves (id int primary key, label text);
  create table public.books_shelves (
    book_id int references public.books, shelf_id int references public.shelves, primary key (book_id, shelf_id)
  );
  insert into public.authors values (1, 'Anna'), (2, 'Boris'), (3, 'Clara');
  insert into public.books (id, author_id, title, pages, tags, extra, loaned, blurb) values
    (1, 1, 'Harbours', 120, '{sea,travel}', '{"lang": "en", "price": 12}', '[1,5)', 'Ships and quiet harbours'),
    (2, 1, 'Lanterns', 80, '{light}', '{"lang": "de", "price": 8}', '[5,9)', 'How lanterns were made'),
    (3, 2, 'Rails', null, '{travel}', '{"lang": "en"}', '[20,30)', null);
  insert into public.shelves values (1, 'front'), (2, 'back');
  insert into public.books_shelves values (1, 1), (1, 2), (2, 2);
  grant select on public.authors, public.books, public.shelves, public.books_shelves to anon, authenticated, service_role;

  create function public.add(a int, b int) returns int language sql immutable as 'select a + b';
  create function public.books_of(writer text) returns setof public.books language sql stable
    as 'select b.* from public.books b join public.authors a on a.id = b.author_id where a.name = writer';
  create function public.total(numbers int[]) returns bigint language sql immutable as 'select sum(n) from unnest(numbers) n';
  create function public.nothing_back() returns void language sql as 'select null';
  select realtime.watch('public.notes');
  create policy rooms on realtime.messages to authenticated
    using ((select realtime.topic()) = 'mine-' || (select auth.uid())) with check ((select realtime.topic()) = 'mine-' || (select auth.uid()));
`;

/** Restores the initial state between two environments. */
export const RESET = 'truncate public.notes';
