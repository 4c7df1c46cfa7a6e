/** Languages that mails, text messages and notices to customers are written in; the first is for everybody else. */
export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

/** What each language calls itself. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' };

/**
 * The language of the first of some locales (BCP 47, also with `_`) that is a text at all; what else a client stored
 * counts as none. A text that names no language of ours is English, as whoever wrote it chose something.
 */
export function languageOf(...locales: readonly unknown[]): Language {
  const wanted = locales.find((locale) => typeof locale === 'string') ?? '';
  const [word = ''] = wanted.toLowerCase().split(/[-_]/);
  return LANGUAGES.find((language) => language === word) ?? LANGUAGES[0];
}
