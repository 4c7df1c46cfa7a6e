import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'oxc-parser';
import { PROJECT_ROOT } from '../../../src/kernel/config/project-root.ts';

/** A fixed SQL text that is passed to `many`, `maybe`, `one` or `run`. */
export interface FoundStatement {
  readonly text: string;
  /** Relative to the root. */
  readonly file: string;
  /** Line of the text, counted from 1. */
  readonly line: number;
  /** The call to which it is passed. */
  readonly call: SyntaxNode;
}

/** A node of the syntax tree (ESTree); its other fields are read by name. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

interface ParsedFile {
  readonly file: string;
  readonly source: string;
  readonly body: readonly SyntaxNode[];
  /** Initialisers of the constants in the whole file, at any level. */
  readonly constants: ReadonlyMap<string, SyntaxNode>;
  /** Local name to the file that it comes from and its name there. */
  readonly imports: ReadonlyMap<string, { from: string; name: string }>;
}

const METHODS = new Set(['many', 'maybe', 'one', 'run']);
const BEGINS_AS_SQL = /^\s*(with|select|insert|update|delete|merge|values|table)\b/i;
/** Wrappers that return the text passed to them. */
const SAME_TEXT = new Set(['prepared']);

/** Stands for a name with two meanings in a file, which is not resolved. */
const AMBIGUOUS: SyntaxNode = { type: 'Ambiguous', start: 0, end: 0 };

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && typeof (value as SyntaxNode).type === 'string';

/** Calls `visit` for a node and everything in it. */
export function walkSyntax(node: SyntaxNode, visit: (node: SyntaxNode) => void): void {
  visit(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) walkSyntax(child, visit);
  }
}

/**
 * Finds every fixed statement in the TypeScript under `folders` of `root`, in the order of files and lines.
 */
export function findStatements(folders: readonly string[], root = PROJECT_ROOT): FoundStatement[] {
  const search = new StatementSearch(root);
  const files = folders.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root }));
  return files
    .filter(
      (file) => !file.includes('node_modules') && !file.endsWith('.d.ts') && !file.endsWith('.generated.ts'),
    )
    .map((file) => file.replaceAll(path.sep, '/'))
    .sort()
    .flatMap((file) => search.statementsOf(file));
}

class StatementSearch {
  readonly #root: string;
  readonly #files = new Map<string, ParsedFile | undefined>();

  constructor(root: string) {
    this.#root = root;
  }

  statementsOf(file: string): FoundStatement[] {
    const source = readFileSync(path.join(this.#root, file), 'utf8');
    if (!/\.(many|maybe|one|run)\b/.test(source)) return [];
    const parsed = this.#parse(file);
    if (parsed === undefined) return [];
    const found: FoundStatement[] = [];
    for (const node of parsed.body) {
      walkSyntax(node, (each) => {
        const argument = statementArgument(each);
        if (argument === undefined) return;
        const line = source.slice(0, argument.start).split('\n').length;
        for (const text of this.#texts(argument, parsed)) {
          if (BEGINS_AS_SQL.test(text)) found.push({ text, file, line, call: each });
        }
      });
    }
    return found;
  }

  #parse(file: string): ParsedFile | undefined {
    if (!this.#files.has(file)) this.#files.set(file, parseFile(this.#root, file));
    return this.#files.get(file);
  }

  /** Every text that an expression can be at run time; empty when that is not known beforehand. */
  #texts(node: SyntaxNode, file: ParsedFile): string[] {
    switch (node.type) {
      case 'Literal':
        return ['string', 'number'].includes(typeof node.value) ? [String(node.value)] : [];
      case 'TemplateLiteral':
        return this.#template(node, file);
      case 'BinaryExpression':
        return node.operator === '+'
          ? joined([this.#child(node, 'left', file), this.#child(node, 'right', file)])
          : [];
      case 'ConditionalExpression':
        return this.#eachOf([node.consequent, node.alternate], file);
      case 'TSAsExpression':
      case 'TSSatisfiesExpression':
        return this.#child(node, 'expression', file);
      case 'CallExpression': {
        const callee = node.callee as SyntaxNode;
        return SAME_TEXT.has(String(callee.name))
          ? this.#eachOf((node.arguments as unknown[]).slice(0, 1), file)
          : [];
      }
      case 'Identifier':
        return this.#constant(String(node.name), file);
      case 'MemberExpression':
        return this.#member(node, file);
      default:
        return [];
    }
  }

  #child(node: SyntaxNode, field: string, file: ParsedFile): string[] {
    return this.#eachOf([node[field]], file);
  }

  /** The texts of several alternatives; empty when one of them is not known. */
  #eachOf(nodes: readonly unknown[], file: ParsedFile): string[] {
    const texts = nodes.map((node) => (isNode(node) ? this.#texts(node, file) : []));
    return texts.some((each) => each.length === 0) ? [] : texts.flat();
  }

  #template(node: SyntaxNode, file: ParsedFile): string[] {
    const quasis = node.quasis as { value: { cooked: string } }[];
    const expressions = node.expressions as SyntaxNode[];
    return joined(
      quasis.flatMap(({ value }, index) => {
        const expression = expressions[index];
        return expression === undefined ? [[value.cooked]] : [[value.cooked], this.#texts(expression, file)];
      }),
    );
  }

  #constant(name: string, file: ParsedFile): string[] {
    const value = this.#valueOf(name, file);
    return value === undefined ? [] : this.#texts(value.node, value.file);
  }

  #valueOf(name: string, file: ParsedFile): { node: SyntaxNode; file: ParsedFile } | undefined {
    const own = file.constants.get(name);
    if (own !== undefined) return { node: own, file };
    const imported = file.imports.get(name);
    const from = imported === undefined ? undefined : this.#parse(imported.from);
    const node = from?.constants.get(imported?.name ?? '');
    return from === undefined || node === undefined ? undefined : { node, file: from };
  }

  /** `TEXTS.name`, or every text of the object for `TEXTS[key]`. */
  #member(node: SyntaxNode, file: ParsedFile): string[] {
    const object = node.object as SyntaxNode;
    const value = object.type === 'Identifier' ? this.#valueOf(String(object.name), file) : undefined;
    let holder = value?.node;
    while (holder?.type === 'TSAsExpression' || holder?.type === 'TSSatisfiesExpression') {
      holder = holder.expression as SyntaxNode;
    }
    if (value === undefined || holder?.type !== 'ObjectExpression') return [];
    const wanted = node.computed ? undefined : (node.property as SyntaxNode).name;
    const properties = (holder.properties as SyntaxNode[]).filter(
      ({ key }) => wanted === undefined || (key as SyntaxNode | undefined)?.name === wanted,
    );
    return this.#eachOf(
      properties.map((property) => property.value),
      value.file,
    );
  }
}

/** Every combination of one of each. */
function joined(parts: readonly (readonly string[])[]): string[] {
  return parts.reduce<string[]>(
    (before, after) => before.flatMap((one) => after.map((two) => one + two)),
    [''],
  );
}

/** The text that is passed to a call of one of the methods. */
export function statementArgument(node: SyntaxNode): SyntaxNode | undefined {
  if (node.type !== 'CallExpression') return undefined;
  const callee = node.callee as SyntaxNode;
  if (callee.type !== 'MemberExpression' || callee.computed === true) return undefined;
  if (!METHODS.has(String((callee.property as SyntaxNode).name))) return undefined;
  const [argument] = node.arguments as SyntaxNode[];
  return argument;
}

function parseFile(root: string, file: string): ParsedFile | undefined {
  const place = path.join(root, file);
  if (!existsSync(place)) return undefined;
  const source = readFileSync(place, 'utf8');
  const { program } = parseSync(file, source, { lang: file.endsWith('x') ? 'tsx' : 'ts' });
  const body = program.body as unknown as SyntaxNode[];
  const constants = new Map<string, SyntaxNode>();
  const imports = new Map<string, { from: string; name: string }>();
  for (const node of body) {
    walkSyntax(node, (each) => {
      if (each.type === 'VariableDeclaration' && each.kind === 'const') addConstants(each, constants);
      if (each.type === 'ImportDeclaration') addImports(each, file, imports);
    });
  }
  return { file, source, body, constants, imports };
}

function addConstants(node: SyntaxNode, constants: Map<string, SyntaxNode>): void {
  for (const { id, init } of node.declarations as { id: SyntaxNode; init: SyntaxNode | null }[]) {
    if (id.type !== 'Identifier' || init === null) continue;
    constants.set(String(id.name), constants.has(String(id.name)) ? AMBIGUOUS : init);
  }
}

function addImports(
  node: SyntaxNode,
  file: string,
  imports: Map<string, { from: string; name: string }>,
): void {
  const from = String((node.source as SyntaxNode).value);
  if (!from.startsWith('.')) return;
  for (const specifier of node.specifiers as { type: string; imported?: SyntaxNode; local: SyntaxNode }[]) {
    if (specifier.type !== 'ImportSpecifier' || specifier.imported === undefined) continue;
    imports.set(String(specifier.local.name), {
      from: path.posix.join(path.posix.dirname(file), from),
      name: String(specifier.imported.name),
    });
  }
}
