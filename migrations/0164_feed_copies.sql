-- What the feeds of NEWS_FEEDS said last, so that a restart serves it while it asks again.

create table private.feed_copies (
  url text primary key,
  -- Sent back with the next question (RFC 9110 §13); empty when the feed gave none.
  etag text not null,
  last_modified text not null,
  items jsonb not null,
  fetched_at timestamptz not null default now()
);
alter table private.feed_copies enable row level security;
