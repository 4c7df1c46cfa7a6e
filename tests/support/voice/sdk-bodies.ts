import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const FOLDER = 'node_modules/@vapi-ai/server-sdk/dist/cjs/api/types';

/** A number from 0 to 1, below 1; the same seed gives the same numbers. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

interface Field {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
}
interface Shape {
  readonly extends: readonly string[];
  readonly fields: readonly Field[];
}

/** A body with one field that was drawn, the fields without which its type does not allow it, and its place. */
export interface DrawnBody {
  readonly body: unknown;
  /** Names and positions joined by dots. */
  readonly path: string;
}

/**
 * Draws bodies from the types of the published client: each step down takes a random field, and each union a
 * random member.
 */
export class SdkBodies {
  readonly #random: () => number;
  readonly #files = new Map<string, string>();

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  /** @param name a type of the client, such as `CreateAssistantDto` */
  draw(name: string): DrawnBody {
    const names: string[] = [];
    const body = this.#drawn(`Vapi.${name}`, names, 0);
    return { body, path: names.join('.') };
  }

  #pick<Item>(items: readonly Item[]): Item | undefined {
    return items[Math.floor(this.#random() * items.length)];
  }

  /** A value whose random leaf `names` leads to. */
  #drawn(type: string, names: string[], depth: number): unknown {
    const one = this.#pick(this.#members(type)) ?? type;
    if (one.endsWith('[]')) {
      names.push('0');
      return [this.#drawn(one.slice(0, -2), names, depth)];
    }
    const shape = this.#shapeOf(one);
    if (shape === undefined || depth > 6) return this.#leaf(one);
    const fields = this.#fieldsOf(shape);
    const chosen = this.#pick(fields);
    if (chosen === undefined) return {};
    const others = this.#required(
      fields.filter(({ name }) => name !== chosen.name),
      depth,
    );
    names.push(chosen.name);
    return { ...others, [chosen.name]: this.#drawn(chosen.type, names, depth + 1) };
  }

  #required(fields: readonly Field[], depth: number): Record<string, unknown> {
    return Object.fromEntries(
      fields.filter(({ isRequired }) => isRequired).map(({ name, type }) => [name, this.#least(type, depth)]),
    );
  }

  /** The smallest value of a type. */
  #least(type: string, depth: number): unknown {
    const [one = type] = this.#members(type);
    if (one.endsWith('[]')) return [];
    const shape = this.#shapeOf(one);
    if (shape === undefined || depth > 8) return this.#leaf(one);
    return this.#required(this.#fieldsOf(shape), depth + 1);
  }

  #leaf(type: string): unknown {
    if (/^".*"$/.test(type)) return type.slice(1, -1);
    if (type === 'number') return Math.ceil(this.#random() * 3);
    if (type === 'boolean') return this.#random() < 0.5;
    if (type === 'true' || type === 'false') return type === 'true';
    if (type.startsWith('Record<')) return { some: 'thing' };
    return 'something';
  }

  /** The members of a union, and the words of an enumeration. */
  #members(type: string): string[] {
    const parts = type
      .replace(/\(([^()|]+) \| null\)\[\]/g, '$1[]')
      .split(' | ')
      .filter((part) => part !== 'undefined' && part !== 'null');
    if (parts.length > 1) return parts.flatMap((part) => this.#members(part));
    const [only = type] = parts;
    const source = this.#source(only);
    const name = only.replace(/^Vapi\./, '');
    if (source === undefined || name.includes('.')) return [only];
    const words = new RegExp(`export declare const ${name}: \\{([^}]*)\\}`).exec(source)?.[1];
    if (words !== undefined) return words.match(/"[^"]*"/g) ?? [only];
    const alias = new RegExp(`export type ${name} = ([^;]+);`).exec(source)?.[1];
    return alias === undefined || alias === only ? [only] : this.#members(alias);
  }

  #fieldsOf(shape: Shape): Field[] {
    const inherited = shape.extends.flatMap((base) => {
      const found = this.#shapeOf(base);
      return found === undefined ? [] : this.#fieldsOf(found);
    });
    const own = new Set(shape.fields.map(({ name }) => name));
    return [...inherited.filter(({ name }) => !own.has(name)), ...shape.fields];
  }

  #shapeOf(type: string): Shape | undefined {
    if (!/^Vapi\.[\w.]+$/.test(type)) return undefined;
    const source = this.#source(type);
    const name = type.split('.').at(-1) ?? '';
    const [, bases = '', inside] =
      new RegExp(`interface ${name}(?: extends ([^{]+))? \\{\\n([\\s\\S]*?)\\n *\\}`).exec(source ?? '') ??
      [];
    if (inside === undefined) return undefined;
    const fields = [...inside.matchAll(/^ *"?([\w.:-]+)"?(\?)?: (.+);$/gm)].map(
      ([, field = '', optional, of = '']) => ({ name: field, type: of, isRequired: optional === undefined }),
    );
    return { extends: bases === '' ? [] : bases.split(',').map((base) => base.trim()), fields };
  }

  /** The file of a type, without its comments; undefined for a type of the language. */
  #source(type: string): string | undefined {
    const [, name] = /^Vapi\.(\w+)/.exec(type) ?? [];
    if (name === undefined) return undefined;
    const file = path.join(FOLDER, `${name}.d.ts`);
    const known = this.#files.get(name);
    if (known !== undefined || !existsSync(file)) return known;
    const text = readFileSync(file, 'utf8').replace(/\/\*\*[\s\S]*?\*\//g, '');
    this.#files.set(name, text);
    return text;
  }
}
