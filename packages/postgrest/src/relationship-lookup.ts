import { nearestName } from '@northline/nearest-word/nearest-word';
import { quoteName, quoteQualified } from './compiler/sql-text.ts';
import { restError } from './rest-error.ts';
import type { ComputedRelationship, ForeignKey, Relation, Schema } from './schema-shape.ts';

/** How the rows of an embed relate to a row of its parent. */
export interface Relationship {
  readonly target: string;
  readonly toMany: boolean;
  /**
   * SQL conditions that join the embed (alias) to its parent (alias); for many-to-many including the
   * junction.
   */
  join(parentAlias: string, targetAlias: string): string;
  /**
   * Name of the function that returns the rows for a row of the parent; it runs with the caller's privileges
   * and policies.
   */
  readonly computedBy?: string;
  /** The relationship as the 300 reply lists it. */
  readonly described: { cardinality: string; embedding: string; relationship: string };
}

/**
 * The one relationship between a table and the target of an embed: by a function of that name (which hides
 * the foreign keys of a table of that name), by a foreign key on either side, or by a junction table whose
 * key contains both.
 *
 * @throws ServiceError 400 PGRST200 for none, 300 PGRST201 for several
 */
export function findRelationship(
  schema: Schema,
  parent: string,
  target: string,
  hint: string | undefined,
): Relationship {
  const computed = schema.computed.find(({ name, table }) => name === target && table === parent);
  if (computed !== undefined && hint === undefined) return byFunction(computed);
  const byKeys = [...toMany(schema, parent, target, hint), ...toOne(schema, parent, target, hint)];
  const found = [...byKeys, ...throughJunctions(schema, { parent, target, hint, views: false })];
  const only = found[0];
  if (only === undefined) throw noRelationship(schema, { parent, target, hint });
  if (found.length === 1) return only;
  const withViews = throughJunctions(schema, { parent, target, hint, views: true });
  throw severalRelationships(parent, target, [...byKeys, ...withViews]);
}

function byFunction({ name, table, target, toOne }: ComputedRelationship): Relationship {
  return {
    target,
    toMany: !toOne,
    computedBy: name,
    join: () => 'true',
    described: describe(toOne ? 'many-to-one' : 'one-to-many', table, target, name),
  };
}

function toOne(
  { foreignKeys }: Schema,
  parent: string,
  target: string,
  hint: string | undefined,
): Relationship[] {
  const isNamed = ({ name, columns }: ForeignKey): boolean =>
    name === target || (columns.length === 1 && columns[0] === target);
  const own = foreignKeys.filter((key) => key.table === parent);
  // A view whose rows refer to each other means its own rows, not those of another view of the same table.
  const isOfItself = own.some((key) => isNamed(key) && key.target === parent);
  return own
    .filter((key) => {
      // The name of a column or a key refers to the table itself; a view has to be named.
      if (isNamed(key)) return hint === undefined && (isOfItself ? key.target === parent : key.targetIsMain);
      // For a table that refers to itself, its own name means the rows that refer to a given row.
      if (key.table === key.target || key.target !== target) return false;
      return hint === undefined || [key.name, ...key.columns, ...key.targetColumns].includes(hint);
    })
    .map((key) => ({
      target: key.target,
      toMany: false,
      join: (parentAlias, alias) => equate(alias, key.targetColumns, parentAlias, key.columns),
      described: describe(
        key.unique ? 'one-to-one' : 'many-to-one',
        parent,
        key.target,
        `${key.name} using ${nearSide(key)} and ${farSide(key)}`,
      ),
    }));
}

function toMany(
  { foreignKeys }: Schema,
  parent: string,
  target: string,
  hint: string | undefined,
): Relationship[] {
  return foreignKeys
    .filter(
      (key) =>
        key.target === parent &&
        (key.table === target || (key.tableIsMain && (key.name === target || isOneToOneBy(key, target)))),
    )
    .filter((key) => hint === undefined || [key.name, ...key.columns, ...key.targetColumns].includes(hint))
    .map((key) => ({
      target: key.table,
      toMany: !key.unique,
      join: (parentAlias, alias) => equate(alias, key.columns, parentAlias, key.targetColumns),
      described: describe(
        key.unique ? 'one-to-one' : 'one-to-many',
        parent,
        key.table,
        // The parent of the embed comes first, as in PostgREST.
        `${key.name} using ${farSide(key)} and ${nearSide(key)}`,
      ),
    }));
}

/** Whether a column of the table that a key refers to leads to the one row that refers to it. */
function isOneToOneBy({ unique, targetColumns, target, table }: ForeignKey, column: string): boolean {
  return unique && table !== target && targetColumns.length === 1 && targetColumns[0] === column;
}

/** What is embedded, and whether all views over junctions count. */
interface WantedJunctions {
  readonly parent: string;
  readonly target: string;
  readonly hint: string | undefined;
  /**
   * A view over a junction offers the same path again. So it counts only where the hint names it, and in the
   * list of a refusal.
   */
  readonly views: boolean;
}

function throughJunctions(
  { name: schema, foreignKeys, relations }: Schema,
  { parent, target, hint, views }: WantedJunctions,
): Relationship[] {
  const pairs = foreignKeys
    .filter((near) => near.target === parent)
    .flatMap((near) =>
      foreignKeys
        // Compared by name, because a key has several entries when views show its columns.
        .filter((far) => far.name !== near.name && far.table === near.table && far.target === target)
        .map((far) => ({ near, far })),
    );
  return pairs
    .filter(({ near, far }) => hint === undefined || hint === near.table || hint === far.name)
    .filter(({ near }) => near.tableIsMain || views || hint === near.table)
    .filter(({ near, far }) => isJunction(relations.get(near.table), near, far))
    .map(({ near, far }) => ({
      target,
      toMany: true,
      join: (parentAlias, alias) => junctionCondition(schema, { near, far }, parentAlias, alias),
      described: describe(
        'many-to-many',
        parent,
        target,
        `${near.table} using ${near.name}(${near.columns.join(', ')}) and ${far.name}(${far.columns.join(', ')})`,
      ),
    }));
}

function isJunction(table: Relation | undefined, near: ForeignKey, far: ForeignKey): boolean {
  if (table === undefined) return false;
  return [...near.columns, ...far.columns].every((column) => table.primaryKey.includes(column));
}

function junctionCondition(
  schema: string,
  { near, far }: { readonly near: ForeignKey; readonly far: ForeignKey },
  parentAlias: string,
  alias: string,
): string {
  const junction = quoteName(`${near.table}_junction`);
  return `exists (select from ${quoteQualified({ schema, name: near.table })} as ${junction} where ${equate(junction, near.columns, parentAlias, near.targetColumns)} and ${equate(junction, far.columns, alias, far.targetColumns)})`;
}

function equate(
  left: string,
  leftColumns: readonly string[],
  right: string,
  rightColumns: readonly string[],
): string {
  return leftColumns
    .map((column, at) => `${left}.${quoteName(column)} = ${right}.${quoteName(rightColumns[at] ?? '')}`)
    .join(' and ');
}

/** The referring side of a key: `books(author_id)`. */
function nearSide({ table, columns }: ForeignKey): string {
  return `${table}(${columns.join(', ')})`;
}

/** The side that a key refers to: `authors(id)`. */
function farSide({ target, targetColumns }: ForeignKey): string {
  return `${target}(${targetColumns.join(', ')})`;
}

function describe(cardinality: string, parent: string, target: string, relationship: string) {
  return { cardinality, embedding: `${parent} with ${target}`, relationship };
}

/** A table with a relationship to `parent` and a name similar to `target`. */
function similarTarget({ foreignKeys }: Schema, parent: string, target: string): string | null {
  const related = foreignKeys.flatMap((key) => [
    ...(key.table === parent ? [key.target] : []),
    ...(key.target === parent ? [key.table] : []),
  ]);
  const near = nearestName(target, related);
  return near === undefined || near === target ? null : `Perhaps you meant '${near}' instead of '${target}'.`;
}

function noRelationship(
  schema: Schema,
  { parent, target, hint }: { parent: string; target: string; hint: string | undefined },
): Error {
  const using = hint === undefined ? '' : ` using the hint '${hint}'`;
  return restError(
    400,
    'PGRST200',
    `Could not find a relationship between '${parent}' and '${target}' in the schema cache`,
    {
      details: `Searched for a foreign key relationship between '${parent}' and '${target}'${using} in the schema '${schema.name}', but no matches were found.`,
      hint: similarTarget(schema, parent, target),
    },
  );
}

function severalRelationships(parent: string, target: string, found: readonly Relationship[]): Error {
  const choices = found.map(
    ({ described }) => `'${target}!${described.relationship.split(' using ')[0] ?? ''}'`,
  );
  return restError(
    300,
    'PGRST201',
    `Could not embed because more than one relationship was found for '${parent}' and '${target}'`,
    {
      details: found.map(({ described }) => described),
      hint: `Try changing '${target}' to one of the following: ${choices.join(', ')}. Find the desired relationship in the 'details' key.`,
    },
  );
}
