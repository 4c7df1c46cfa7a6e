-- Where hosted projects keep extensions: their migrations name it, and requests look there for names without a schema
-- (decision 0496). One that is there already is its owner's.

do $$
begin
  if to_regnamespace('extensions') is null then
    create schema extensions;
    comment on schema extensions is 'Extensions of projects that run on this database; empty as installed.';
    grant usage on schema extensions to anon, authenticated, service_role;
  end if;
end
$$;
