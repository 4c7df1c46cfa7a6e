/** The values of Stripe's form encoding: texts, and lists and objects of them. */
export type FormValue = string | FormValue[] | { [name: string]: FormValue };

const MAX_PARAMETERS = 500;
const MAX_DEPTH = 6;
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Decodes `a[b][0][c]=d` as Stripe reads it: brackets with numbers (or empty) are lists.
 *
 * @returns undefined for a form that cannot be decoded: with too many or too deeply nested parameters, with
 * two kinds of value under one name, or with a name that would reach a prototype
 */
export function decodeForm(text: string): Record<string, FormValue> | undefined {
  const root: Node = { words: [], children: new Map() };
  let count = 0;
  for (const [name, value] of new URLSearchParams(text)) {
    count += 1;
    const path = pathOfName(name);
    if (count > MAX_PARAMETERS || path === undefined) return undefined;
    let node = root;
    for (const part of path) {
      const key = part === '' ? String(node.children.size) : part;
      const child = node.children.get(key) ?? { words: [], children: new Map() };
      node.children.set(key, child);
      node = child;
    }
    node.words.push(value);
  }
  const decoded = formValueOf(root);
  if (decoded === undefined) return undefined;
  return typeof decoded === 'object' && !Array.isArray(decoded) ? decoded : {};
}

interface Node {
  readonly words: string[];
  readonly children: Map<string, Node>;
}

function pathOfName(name: string): string[] | undefined {
  const match = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name);
  if (match === null) return undefined;
  const inner = [...(match[2] ?? '').matchAll(/\[([^[\]]*)\]/g)].map((part) => part[1] ?? '');
  const path = [match[1] ?? '', ...inner];
  return path.length > MAX_DEPTH || path.some((part) => FORBIDDEN.has(part)) ? undefined : path;
}

function formValueOf(node: Node): FormValue | undefined {
  const { words, children } = node;
  if (children.size === 0) return words.length === 0 ? Object.create(null) : words.at(-1);
  if (words.length > 0) return undefined;
  const entries: [string, FormValue][] = [];
  for (const [key, child] of children) {
    const value = formValueOf(child);
    if (value === undefined) return undefined;
    entries.push([key, value]);
  }
  if (entries.every(([key]) => /^\d+$/.test(key))) {
    return entries.sort(([left], [right]) => Number(left) - Number(right)).map(([, value]) => value);
  }
  return Object.fromEntries(entries);
}
