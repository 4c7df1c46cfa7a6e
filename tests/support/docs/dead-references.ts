import path from 'node:path';
import { linksOf, type Page, pageOf } from './markdown-page.ts';

/** A text file of the repository, by its path from the root. */
export interface TextFile {
  readonly file: string;
  readonly text: string;
}

/** The possible targets of references. */
export interface Destinations {
  /** Every file and folder of the repository, by its path from the root. */
  readonly paths: ReadonlySet<string>;
  readonly pages: ReadonlyMap<string, Page>;
  /** Names of the npm scripts. */
  readonly scripts: ReadonlySet<string>;
}

const ATTACKS = 'docs/security-attacks.md';
/** Names in documents that show a form and do not name a file. */
const EXAMPLES = /^(types|subject-action)\.|^\.|\*|…|NNNN/;
/** Installations have applied these files byte for byte, so they keep old references. */
const APPLIED_MIGRATIONS = /^migrations\/0(0\d\d|1[0-8]\d|190)_/;

/** Reads the Markdown pages among the files, for their sections and anchors. */
export function pagesOf(files: readonly TextFile[]): Map<string, Page> {
  return new Map(
    files.filter(({ file }) => file.endsWith('.md')).map(({ file, text }) => [file, pageOf(text)]),
  );
}

/**
 * References without a target, as `file: reference`: to sections, attacks, decisions, pages, links and, in
 * documents, files and commands. Numbers of RFCs and other standards are not checked.
 */
export function deadReferences(source: TextFile, to: Destinations): string[] {
  if (APPLIED_MIGRATIONS.test(source.file)) return [];
  const text = unbroken(source.text);
  const dead = [
    ...deadSections(text, to),
    ...deadNumbers(text, to),
    ...deadPages(text, to),
    ...namelessReferences(text),
    ...(source.file.endsWith('.md')
      ? [
          ...deadLinks(source, to),
          ...deadFiles(source, to),
          ...deadScripts(source.text, to),
          ...deadCommands(source.text, to),
        ]
      : []),
  ];
  return dead.map((one) => `${source.file}: ${one}`);
}

/** Joins the lines of comments and paragraphs, because a line break may be inside a reference. */
function unbroken(text: string): string {
  return text.replaceAll(/\s*\n\s*(?:\*|\/\/|--)? ?/g, ' ');
}

/** A page and its sections: `§2.1, §3 and §4`. */
function deadSections(text: string, { pages }: Destinations): string[] {
  return [...text.matchAll(/(docs\/[\w/.-]+\.md) (§[\d.]*\d(?:(?:, | and )§[\d.]*\d)*)/g)].flatMap(
    ([, page = '', sections = '']) =>
      numbersIn(sections, /[\d.]*\d/g)
        .filter((number) => pages.get(page)?.sections.has(number) !== true)
        .map((number) => `${page} §${number}`),
  );
}

/** Numbers of attacks and of decisions, one or several. */
function deadNumbers(text: string, { pages, paths }: Destinations): string[] {
  const attacks = [...text.matchAll(/\battacks? (\d+(?:(?:, | and )\d+)*)/gi)]
    .flatMap(([, numbers = '']) => numbersIn(numbers, /\d+/g))
    .filter((number) => pages.get(ATTACKS)?.anchors.has(`attack-${number}`) !== true)
    .map((number) => `attack ${number}`);
  const decisions = [...text.matchAll(/\bdecisions? (\d{4}(?:(?:, | and )\d{4})*)/gi)]
    .flatMap(([, numbers = '']) => numbersIn(numbers, /\d+/g))
    .filter((number) => ![...paths].some((one) => one.startsWith(`docs/decisions/${number}-`)))
    .map((number) => `decision ${number}`);
  return [...attacks, ...decisions];
}

/** Any page of `docs`, by its path. */
function deadPages(text: string, { paths }: Destinations): string[] {
  return [...text.matchAll(/(?<![\w/.-])docs\/[\w/.-]+\.md\b/g)]
    .map(([page]) => page)
    .filter((page) => !paths.has(page));
}

/** A section of a contract or specification without its page, or of a page that never existed. */
function namelessReferences(text: string): string[] {
  return [...text.matchAll(/\bcontracts? (?:voice )?§\d|(?<![\w/-])(?:spec\/\w+|security)\.md/gi)].map(
    ([reference]) => reference,
  );
}

function deadLinks({ file, text }: TextFile, { paths, pages }: Destinations): string[] {
  return (
    linksOf(text)
      // Mail templates have placeholders for addresses.
      .filter((link) => !/^(?:https?|mailto):|\{/.test(link))
      .filter((link) => {
        const [to = '', anchor] = link.split('#');
        const target = to === '' ? file : path.posix.join(path.posix.dirname(file), to).replace(/\/$/, '');
        if (!paths.has(target)) return true;
        return anchor !== undefined && pages.get(target)?.anchors.has(anchor) !== true;
      })
  );
}

/**
 * Names of files in back-ticks: paths from the root or the page's folder, and names of source files without a
 * path.
 */
function deadFiles({ file, text }: TextFile, { paths }: Destinations): string[] {
  const folder = path.posix.dirname(file);
  const names = new Set([...paths].map((one) => path.posix.basename(one)));
  const quoted = [...text.matchAll(/`([\w@./-]+)`/g)].map(([, name = '']) => name.replace(/\/$/, ''));
  return quoted.filter((name) => {
    if (EXAMPLES.test(name)) return false;
    if (/^(src|docs|tests|scripts|packages|migrations|bench)\//.test(name)) {
      return !paths.has(name) && !paths.has(path.posix.join(folder, name));
    }
    return /^[\w-]+(\.\w+)*\.(tsx?|cts|cjs|sql|css)$/.test(name) && !names.has(name);
  });
}

function deadScripts(text: string, { scripts }: Destinations): string[] {
  return [...text.matchAll(/\bnpm run ([\w:]+)/g)]
    .map(([, name = '']) => name)
    .filter((name) => !scripts.has(name))
    .map((name) => `npm run ${name}`);
}

/** Commands of the operator's command line, each of which has a file. */
function deadCommands(text: string, { paths }: Destinations): string[] {
  return [...text.matchAll(/\bnpm run northline -- ([a-z-]+)/g)]
    .map(([, name = '']) => name)
    .filter((name) => name !== 'help' && !paths.has(`src/cli/${name}-command.ts`))
    .map((name) => `northline ${name}`);
}

function numbersIn(text: string, number: RegExp): string[] {
  return text.match(number) ?? [];
}
