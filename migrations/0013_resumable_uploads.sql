-- Uploads that come in several requests (tus 1.0.0, contract §3). Quota, credit and the end of their time are
-- those of the row in private.uploads; this is what the next request has to know.
create table private.resumable_uploads (
  id uuid primary key references private.uploads (id) on delete cascade,
  length bigint not null check (length >= 0),
  -- Bytes that are safe on disk.
  received bigint not null default 0 check (received between 0 and length),
  -- In whose name: the user is the upload's.
  role text not null,
  replace boolean not null,
  content_type text not null,
  cache_control text not null,
  user_metadata jsonb,
  -- The signed upload address that it uses, if any.
  ticket_id uuid,
  ticket_expires_at timestamptz,
  -- The request that is writing, and until when it counts as alive.
  writer uuid,
  writing_until timestamptz
);
