/** Escapes a text for a regular expression that matches exactly this text, with or without the flag `u`. */
export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/**
 * A pattern that matches the words in their order, with any white space between them; empty for a text
 * without words.
 */
export function phrasePattern(text: string): string {
  return text.trim().split(/\s+/).map(escapePattern).join('\\s+');
}
