/** Languages of mails, text messages and notices to customers. The first is the default. */
export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The name of each language in that language. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' };

/**
 * The language to use for a list of locales (BCP 47, or with `_`): that of the first one that is a string,
 * since clients may store anything. A string that names no supported language gives English, because somebody
 * chose it.
 */
export function languageOf(...locales: readonly unknown[]): Language {
  const wanted = locales.find((locale) => typeof locale === 'string') ?? '';
  const [word = ''] = wanted.toLowerCase().split(/[-_]/);
  return LANGUAGES.find((language) => language === word) ?? LANGUAGES[0];
}
