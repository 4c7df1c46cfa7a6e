import pg from 'pg';

/** Rights as `grantee=RIGHT`, including the default ones: no entry and an explicit default mean the same. */
const rights = (acl: string, kind: string, owner: string): string =>
  `(select string_agg(entry, ' ' order by entry) from (
    select coalesce(r.rolname, 'PUBLIC') || '=' || a.privilege_type || case when a.is_grantable then '*' else '' end as entry
    from aclexplode(coalesce(${acl}, acldefault(${kind}, ${owner}))) a left join pg_roles r on r.oid = a.grantee) entries)`;

const OURS = `n.nspname !~ '^pg_' and n.nspname <> 'information_schema'`;
/** The job queue stores its statistics in one partition for each day. */
const LASTING = `c.relname !~ '^queue_stats_[0-9]'`;

/** One query for each kind of object; every row is one line of the catalogue. */
const QUERIES: Readonly<Record<string, string>> = {
  schema: `select n.nspname, ${rights('n.nspacl', "'n'", 'n.nspowner')}, obj_description(n.oid, 'pg_namespace')
    from pg_namespace n where ${OURS}`,
  relation: `select c.oid::regclass, c.relkind, c.relpersistence, c.relrowsecurity, c.relforcerowsecurity, c.reloptions,
      ${rights('c.relacl', `case c.relkind when 'S' then 's' else 'r' end::"char"`, 'c.relowner')},
      obj_description(c.oid, 'pg_class'), case when c.relkind in ('v', 'm') then pg_get_viewdef(c.oid) end
    from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${OURS} and ${LASTING} and c.relkind not in ('i', 't', 'c')`,
  column: `select c.oid::regclass, row_number() over (partition by c.oid order by a.attnum) as position, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity,
      a.attgenerated, pg_get_expr(d.adbin, d.adrelid), a.attcollation::regcollation, a.attstorage,
      (select string_agg(pg_get_userbyid(r.grantee) || '=' || r.privilege_type, ' ' order by 1) from aclexplode(a.attacl) r),
      col_description(c.oid, a.attnum)
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where ${OURS} and ${LASTING} and c.relkind in ('r', 'v', 'p', 'm') and a.attnum > 0 and not a.attisdropped`,
  constraint: `select c.oid::regclass, k.conname, pg_get_constraintdef(k.oid), k.condeferrable, k.condeferred, k.convalidated
    from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = k.connamespace
    where ${OURS} and ${LASTING} and k.contype <> 'n'`,
  index: `select pg_get_indexdef(i.indexrelid), i.indisvalid, obj_description(i.indexrelid, 'pg_class')
    from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
    where ${OURS} and ${LASTING}`,
  policy: `select p.schemaname, p.tablename, p.policyname, p.permissive, p.roles, p.cmd, p.qual, p.with_check
    from pg_policies p join pg_namespace n on n.nspname = p.schemaname where ${OURS}`,
  function: `select p.oid::regprocedure, pg_get_functiondef(p.oid), ${rights('p.proacl', "'f'", 'p.proowner')},
      obj_description(p.oid, 'pg_proc')
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace where ${OURS}`,
  trigger: `select pg_get_triggerdef(t.oid), t.tgenabled, obj_description(t.oid, 'pg_trigger')
    from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
    where ${OURS} and not t.tgisinternal`,
  sequence: `select s.schemaname, s.sequencename, s.data_type, s.start_value, s.min_value, s.max_value, s.increment_by, s.cycle
    from pg_sequences s join pg_namespace n on n.nspname = s.schemaname where ${OURS}`,
  'event trigger': `select evtname, evtevent, evtenabled, evtfoid::regprocedure, evttags from pg_event_trigger`,
  'default right': `select pg_get_userbyid(d.defaclrole), d.defaclnamespace::regnamespace, d.defaclobjtype, d.defaclacl from pg_default_acl d`,
  type: `select t.oid::regtype, t.typtype, t.typcategory from pg_type t join pg_namespace n on n.oid = t.typnamespace where ${OURS} and t.typname !~ 'queue_stats_[0-9]'`,
  extension: 'select extname, extversion from pg_extension',
  role: `select r.rolname, r.rolsuper, r.rolinherit, r.rolcreaterole, r.rolcreatedb, r.rolcanlogin, r.rolbypassrls, r.rolconfig,
      (select array_agg(m.roleid::regrole::text order by 1) from pg_auth_members m where m.member = r.oid)
    from pg_roles r where r.rolname in ('anon', 'authenticated', 'service_role', 'authenticator')`,
};

/**
 * Everything that the catalogue says about the product's database, including the job queue's tables, as one
 * sorted line for each object: two databases have the same structure exactly when their lines are equal.
 * Brackets and spaces are left out, because a dump nests conditions that were written flat.
 *
 * @param address of the database, as its owner
 */
export async function readCatalogue(address: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    await client.query('set search_path = pg_catalog');
    const lines: string[] = [];
    for (const [kind, query] of Object.entries(QUERIES)) {
      const { rows } = await client.query<{ line: string }>(
        `select row_to_json(found)::text as line from (${query}) found`,
      );
      lines.push(...rows.map(({ line }) => `${kind} ${line.replace(/\\n|[()\s]/g, '')}`));
    }
    return lines.sort();
  } finally {
    await client.end();
  }
}
