-- Notices of browsers (Web Push): which browsers want them, and those that are on their way.

create table private.push_subscriptions (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  session_id uuid not null unique references auth.sessions (id) on delete cascade,
  endpoint text not null unique check (char_length(endpoint) <= 1000),
  public_key bytea not null check (octet_length(public_key) = 65),
  auth_secret bytea not null check (octet_length(auth_secret) = 16),
  server_key text not null,
  user_agent text,
  failures integer not null default 0,
  paused_at timestamptz,
  created_at timestamptz not null default now()
);
comment on table private.push_subscriptions is
  'Browsers that show notices. One goes with the session that switched it on, so a browser that is signed out shows none.';
comment on column private.push_subscriptions.endpoint is
  'Address at the push service of the browser''s maker. Everybody who knows it and the two keys can write to the browser.';
comment on column private.push_subscriptions.public_key is 'The browser''s key (RFC 8291, p256dh).';
comment on column private.push_subscriptions.server_key is 'The public key of this installation that the browser agreed to.';
comment on column private.push_subscriptions.failures is 'Notices in a row that its push service refused for good.';
comment on column private.push_subscriptions.paused_at is 'It gets no more until it is switched on again.';
create index push_subscriptions_user_idx on private.push_subscriptions (user_id);
alter table private.push_subscriptions enable row level security;

create table private.push_notices (
  id uuid primary key default gen_random_uuid(),
  subscription_id uuid not null references private.push_subscriptions (id) on delete cascade,
  title text not null,
  body text not null,
  path text not null,
  attempts integer not null default 0,
  created_at timestamptz not null default now(),
  topic text
);
comment on table private.push_notices is
  'Notices that wait for delivery, one for each browser; a row goes when it was delivered or given up, after a day at most.';
comment on column private.push_notices.topic is
  'The subject of the notice where it may be over before the delivery: then the notice is deleted. Null where it stays true.';
create index push_notices_subscription_idx on private.push_notices (subscription_id);
create index push_notices_created_idx on private.push_notices (created_at);
alter table private.push_notices enable row level security;
