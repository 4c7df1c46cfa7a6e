-- Signed upload addresses that have stored their object (contract §3): each stores once. Kept until
-- the address would have expired.
create table private.spent_upload_tickets (
  id uuid primary key,
  expires_at timestamptz not null
);
create index spent_upload_tickets_expires_at_idx on private.spent_upload_tickets (expires_at);
