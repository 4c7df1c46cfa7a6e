-- Money is in the currency that the agency had when it sold (decision 0800). Until now that was the pound.

alter table private.payment_invoices add column currency text not null default 'gbp' check (currency ~ '^[a-z]{3}$');
alter table private.payment_invoices alter column currency drop default;
comment on column private.payment_invoices.currency is
  'ISO 4217, lower case. All amounts of the row are in its smallest unit: pence, cents, yen.';
comment on column private.payment_invoices.vat is 'The VAT in the total; null where none is worked out.';

alter table private.payment_prices add column currency text not null default 'gbp' check (currency ~ '^[a-z]{3}$');
alter table private.payment_prices alter column currency drop default;
comment on column private.payment_prices.currency is 'ISO 4217, lower case; the amount is in its smallest unit.';

alter table private.payment_customers add column currency text not null default 'gbp' check (currency ~ '^[a-z]{3}$');
comment on column private.payment_customers.currency is 'ISO 4217, lower case: that of the balance, as the provider says.';
comment on column private.payment_customers.balance is
  'What the provider counts against the next invoice, in the smallest unit of the currency; negative is in the customer''s favour.';
