-- A mail may carry an entry for the recipient's calendar.

alter table private.mails add column calendar text not null default '';
comment on column private.mails.calendar is 'An iCalendar object (RFC 5546) that goes with the mail; empty for none.';
