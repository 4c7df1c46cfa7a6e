/** A text as a part of a regular expression, with or without the flag `u`, that finds this text and no other. */
export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** The same for words in their order, with any white space between them; empty for none. */
export function phrasePattern(text: string): string {
  return text.trim().split(/\s+/).map(escapePattern).join('\\s+');
}
