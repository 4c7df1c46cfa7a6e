-- The 24-hour promise of each enquiry (spec/site.md §9), and the proof of work that came with it.

alter table public.enquiries
  add column due_at timestamptz not null default now() + interval '24 hours',
  add column replied_at timestamptz,
  -- The operator's account; null when it was marked otherwise.
  add column replied_by uuid references auth.users (id) on delete set null,
  add column note text not null default '' check (length(note) <= 4000),
  -- When the agency was told that the time runs out: at most once.
  add column warned_at timestamptz,
  -- Hash of the challenge that was solved; a second use is suspicious.
  add column proof_hash text;
update public.enquiries set due_at = created_at + interval '24 hours';
-- Nobody is told today about what ran out before this clock existed.
update public.enquiries set warned_at = now() where due_at < now();

create index enquiries_open_idx on public.enquiries (due_at) where replied_at is null and warned_at is null;
create index enquiries_proof_hash_idx on public.enquiries (proof_hash) where proof_hash is not null;
