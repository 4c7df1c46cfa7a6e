-- Words of the record of processing that readers had to read twice (docs/privacy.md is made from them).
update private.personal_data set holds = 'Values of the fields that a customer named' where table_name = 'northline_app.own_field_values';
update private.personal_data set holds = 'Plans that an operator gave in place of the paid one: plan, reason, operator, end'
 where table_name = 'private.plan_overrides';
update private.personal_data set purpose = 'Holding these calls' where table_name = 'northline_app.bookings';
update private.personal_data set kept = 'VOICE_RECORDING_DAYS, or shorter with their call' where table_name = 'private.voice_recordings';
update private.personal_data set kept = 'Kept without the account, as the books of the agency'
 where kept = 'Without the account: the books of the agency';
