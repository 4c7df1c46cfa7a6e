import type { SiteContent } from '../../kernel/contract/site-content.ts';
import type { FormerNames } from './content.contract.ts';

/** A text and where it stands. */
interface PlacedText {
  readonly place: string;
  readonly words: string;
}

/** Characters before and after a found name. */
const AROUND = 40;

/**
 * Where a former name of the agency or of its currency would still stand once this content is published. A former name inside of the new
 * one, as `Kestrel` in `Kestrel Law`, is not found there.
 *
 * @param texts further texts, which are no part of the content
 */
export function findFormerNames(
  content: SiteContent,
  { name, former, texts }: { name: string; former: readonly string[]; texts: readonly PlacedText[] },
): FormerNames {
  const names = former.filter((one) => one.trim() !== '' && one.toLowerCase() !== name.toLowerCase());
  const found = [...placedTexts(content), ...texts].flatMap(({ place, words }) => {
    const rest = words.replaceAll(name, ' '.repeat(name.length));
    return names.flatMap((one) => {
      const at = rest.search(new RegExp(wholeWord(one), 'iu'));
      if (at === -1) return [];
      const around = words.slice(Math.max(0, at - AROUND), at + one.length + AROUND);
      return [{ place, name: one, words: around.replace(/\s+/g, ' ').trim() }];
    });
  });
  return { found };
}

/** A sign such as `£` stands before a number. */
const wholeWord = (name: string): string =>
  /\p{L}/u.test(name) ? `(?<![\\p{L}\\p{N}])${escaped(name)}(?![\\p{L}\\p{N}])` : escaped(name);

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Every text of a content, with its place as the editor names it: `texts, hero.heading`. */
function placedTexts(value: unknown, path: readonly string[] = []): PlacedText[] {
  if (typeof value === 'string') return [{ place: path.join(', '), words: value }];
  if (typeof value !== 'object' || value === null) return [];
  const entries = Object.entries(value).filter(([name]) => path.length > 0 || name !== 'brand');
  return entries.flatMap(([name, inner]) =>
    placedTexts(inner, [...path, Array.isArray(value) ? String(Number(name) + 1) : name]),
  );
}
