-- The VAT in an invoice, as the payment provider works it out.

alter table private.payment_invoices
  add column vat integer,
  add column reverse_charge boolean not null default false;
comment on column private.payment_invoices.vat is 'Pence of VAT in the total; null where none is worked out.';
comment on column private.payment_invoices.reverse_charge is 'The customer accounts for the VAT.';
