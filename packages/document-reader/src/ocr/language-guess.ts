import type { Language } from './ocr-engines.ts';

/** Words and letters that are common in one of the three languages and rare in the others. */
const MARKS: Record<Language, { words: ReadonlySet<string>; letters: RegExp }> = {
  eng: {
    words: setOf(
      `the of and to is that for it with as was be by this are or at from not have will your you which total receipt
       invoice tax cash change thank if has had we our can their they been but any all would there when who into shall
       must he she his her than after before please number amount due paid between each other under upon such
       these those should may only where what`,
    ),
    letters: /$^/g,
  },
  deu: {
    words: setOf(
      `der die das und ist von zu den mit sich auf für nicht ein eine einer dem des im wird werden bei oder nach am
       ihre sie wir rechnung summe gesamt betrag mwst bar datum als auch aus bis dass durch haben noch nur vom wenn
       wie zum zur über sehr geehrte herren uns unser unsere ihnen ihr ihren diese dieser dieses sowie eines einem
       einen sind kann ich es er bitte zahlung kunde nummer straße`,
    ),
    letters: /[äöüß]/gi,
  },
  fra: {
    words: setOf(
      `le la les et est un une des du que qui dans pour pas sur au aux par avec ce cette vous nous sont ou facture
       montant tva somme mais nos vos votre notre leur leurs elle ils il ne se sa ses en fait sans sous entre aussi
       comme madame monsieur numéro prix être été ces dont je`,
    ),
    letters: /[éèêàçùœîôû]/gi,
  },
};

function setOf(words: string): ReadonlySet<string> {
  return new Set(words.trim().split(/\s+/));
}

/** How many marks of each language a text has. */
function countMarks(text: string): Record<Language, number> {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const count = (language: Language): number =>
    words.filter((word) => MARKS[language].words.has(word)).length +
    Math.min(10, text.match(MARKS[language].letters)?.length ?? 0);
  return { eng: count('eng'), deu: count('deu'), fra: count('fra') };
}

/** The language with clearly the most marks in a text; undefined if it could be several. */
export function guessLanguage(text: string): Language | undefined {
  const [first, second] = Object.entries(countMarks(text)).sort((a, b) => b[1] - a[1]) as [
    [Language, number],
    [Language, number],
  ];
  return first[1] >= 2 && first[1] > 2 * second[1] ? first[0] : undefined;
}
