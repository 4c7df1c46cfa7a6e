import type pg from 'pg';

/** One table or view as the catalogue describes it. */
export interface Relation {
  /** `auth.users`. */
  readonly name: string;
  readonly kind: 'table' | 'view';
  readonly about: string | null;
  readonly rowSecurity: boolean;
  readonly columns: readonly Column[];
  /** `authenticated: select`, one entry for each role of the API with any right. */
  readonly rights: readonly string[];
  readonly policies: readonly Policy[];
  readonly triggers: readonly Trigger[];
}

/** A column; `fallback` is its default, or the expression that computes it. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly fallback: string | null;
  readonly about: string | null;
}

/** A policy of row level security. */
export interface Policy {
  readonly name: string;
  readonly command: string;
  readonly roles: string;
  readonly condition: string | null;
}

/** A trigger, when it fires, and the function that it calls. */
export interface Trigger {
  readonly name: string;
  readonly moment: string;
  readonly calls: string;
  readonly about: string | null;
}

/** A function that statements call; trigger functions are listed with their triggers. */
export interface DatabaseFunction {
  readonly name: string;
  readonly about: string | null;
  /** Roles that may call it. */
  readonly callers: string;
}

const ROLES = `array['anon', 'authenticated', 'service_role']`;

/** Rights on the whole relation, and rights that are granted on some columns only. */
const RIGHTS = `
  select array_agg(grantee || ': ' || list order by grantee) from (
    select grantee, string_agg(lower(privilege), ', ' order by privilege) as list from (
      select r.rolname::text as grantee, a.privilege_type as privilege
        from aclexplode(c.relacl) a join pg_roles r on r.oid = a.grantee where r.rolname = any (${ROLES})
      union
      select r.rolname, a.privilege_type || ' (' || string_agg(column_of.attname, ', ' order by column_of.attnum) || ')'
        from pg_attribute column_of, aclexplode(column_of.attacl) a join pg_roles r on r.oid = a.grantee
        where column_of.attrelid = c.oid and column_of.attacl is not null and r.rolname = any (${ROLES})
        group by r.rolname, a.privilege_type
    ) granted group by grantee
  ) grants`;

const COLUMNS = `
  select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
    'required', a.attnotnull, 'about', col_description(c.oid, a.attnum),
    'fallback', case when a.attidentity <> '' then 'counted' else pg_get_expr(d.adbin, d.adrelid) end) order by a.attnum)
  from pg_attribute a left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  where a.attrelid = c.oid and a.attnum > 0`;

const POLICIES = `
  select coalesce(json_agg(json_build_object('name', p.policyname, 'command', lower(p.cmd),
    'roles', array_to_string(p.roles, ', '), 'condition', coalesce(p.qual, p.with_check)) order by p.policyname), '[]')
  from pg_policies p where (p.schemaname, p.tablename) = (n.nspname, c.relname)`;

const TRIGGERS = `
  select coalesce(json_agg(json_build_object('name', t.tgname, 'calls', t.tgfoid::regproc::text,
    'about', obj_description(t.oid, 'pg_trigger'),
    'moment', case when t.tgdeferrable then 'at commit after ' when t.tgtype & 2 > 0 then 'before ' else 'after ' end
      || concat_ws(', ', case when t.tgtype & 4 > 0 then 'insert' end,
        case when t.tgtype & 16 > 0 then 'update' || coalesce(' of ' || (
          select string_agg(a.attname, ', ' order by a.attnum) from pg_attribute a
          where a.attrelid = c.oid and a.attnum = any (t.tgattr::smallint[])), '') end,
        case when t.tgtype & 8 > 0 then 'delete' end, case when t.tgtype & 32 > 0 then 'truncate' end)
      || case when t.tgqual is null then '' else ', under a condition' end) order by t.tgname), '[]')
  from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal`;

/** Reads every table and view outside of PostgreSQL's own schemas, sorted by name. */
export async function describeRelations(client: pg.Client): Promise<Relation[]> {
  await client.query('set search_path = pg_catalog');
  const { rows } = await client.query<Relation>(`
    select c.oid::regclass::text as name, case c.relkind when 'v' then 'view' else 'table' end as kind,
      obj_description(c.oid, 'pg_class') as about, c.relrowsecurity as "rowSecurity", (${COLUMNS}) as columns,
      coalesce((${RIGHTS}), '{}') as rights, (${POLICIES}) as policies, (${TRIGGERS}) as triggers
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'v') and n.nspname !~ '^(pg_|information_schema)'
    order by c.oid::regclass::text collate "C"`);
  return rows;
}

/** Reads every function except trigger functions, sorted by name. */
export async function describeFunctions(client: pg.Client): Promise<DatabaseFunction[]> {
  await client.query('set search_path = pg_catalog');
  const { rows } = await client.query<DatabaseFunction>(`
    select p.oid::regprocedure::text as name, obj_description(p.oid, 'pg_proc') as about,
      coalesce((select string_agg(distinct coalesce(r.rolname, 'everybody'), ', ' order by coalesce(r.rolname, 'everybody'))
        from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a left join pg_roles r on r.oid = a.grantee
        where has_schema_privilege('service_role', n.oid, 'usage') and (a.grantee = 0 or r.rolname = any (${ROLES}))), 'the product only') as callers
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname !~ '^(pg_|information_schema)' and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)
    order by p.oid::regprocedure::text collate "C"`);
  return rows;
}
