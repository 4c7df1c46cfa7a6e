-- Tools, credentials and campaigns at the console: what there is to see, and the least role of each change.

create view operator.tools with (security_barrier) as
  select r.id, coalesce(r.body #>> '{function,name}', r.body ->> 'name', r.body ->> 'type') as name, r.body,
         r.created_at, r.updated_at
  from private.voice_records r where r.kind = 'tool' and (select auth.is_operator());
comment on view operator.tools is 'Tools that assistants may be given, without their secrets.';

create view operator.credentials with (security_barrier) as
  select r.id, r.body ->> 'provider' as provider, r.body ->> 'name' as name, r.created_at, r.updated_at
  from private.voice_records r where r.kind = 'credential' and (select auth.operator_role()) = 'owner';
comment on view operator.credentials is 'Which providers have a credential; only owners see it, and nobody sees its keys.';

create view operator.phone_numbers with (security_barrier) as
  select r.id, coalesce(r.body ->> 'number', r.body ->> 'sipUri') as number, r.body ->> 'name' as name, r.created_at
  from private.voice_records r where r.kind = 'phone-number' and (select auth.is_operator());
comment on view operator.phone_numbers is 'Numbers that a campaign may call from.';

create view operator.campaigns with (security_barrier) as
  select c.id, c.body, c.status, c.ended_reason, c.created_at, c.updated_at, n.customers, n.waiting, n.calling, n.done,
         n.not_called
  from private.voice_campaigns c
  cross join lateral (
    select count(*) as customers, count(*) filter (where p.state = 'waiting') as waiting,
           count(*) filter (where p.state = 'calling') as calling, count(*) filter (where p.state = 'done') as done,
           count(*) filter (where p.state in ('refused', 'stopped')) as not_called
    from private.voice_campaign_customers p where p.campaign_id = c.id) n
  where (select auth.is_operator());
comment on view operator.campaigns is 'Campaigns, and how far each is.';

create view operator.campaign_customers with (security_barrier) as
  select p.campaign_id, p.position, p.customer, p.state, p.attempts, p.outcome,
         (select r.id from private.voice_records r where r.id = p.call_id) as call_id
  from private.voice_campaign_customers p where (select auth.is_operator());
comment on view operator.campaign_customers is 'Who is called by a campaign, what came of it, and the last call while its record is there.';

grant select on operator.tools, operator.credentials, operator.phone_numbers, operator.campaigns,
  operator.campaign_customers to authenticated, service_role;

create or replace function private.least_role_of(p_action text) returns text
  language sql immutable set search_path = '' as $$
  select case
    when p_action in ('call.listen', 'console.leave', 'course.watch', 'message.open_file') then 'reader'
    when p_action ~ '^(credential|demo|operator|settings|site)\.'
      or p_action in ('api_key.end', 'assistant.delete', 'call.delete', 'campaign.delete', 'customer.refund',
                      'recording.delete', 'tool.delete') then 'owner'
    else 'staff' end
$$;
