/** Abbreviations whose full stop does not end a sentence. */
const ABBREVIATION = /\b(?:mr|mrs|ms|dr|st|no|e\.g|i\.e|approx|vs)\.$/i;
const END = /[.!?…]["')\]]?\s/g;
/** Text of this many characters without the end of a sentence is spoken up to its last comma or space. */
const LONGEST = 300;

/** Cuts a growing text into whole sentences, so that the first is spoken while the rest is being written. */
export class SentenceStream {
  #rest = '';

  /** Adds text. @returns the sentences that are complete now */
  push(text: string): string[] {
    this.#rest += text;
    const sentences: string[] = [];
    for (let end = this.#end(); end > 0; end = this.#end()) {
      const sentence = this.#rest.slice(0, end).trim();
      this.#rest = this.#rest.slice(end);
      if (sentence !== '') sentences.push(sentence);
    }
    return sentences;
  }

  /** The rest of the text, when no more comes. */
  finish(): string[] {
    const last = this.#rest.trim();
    this.#rest = '';
    return last === '' ? [] : [last];
  }

  #end(): number {
    for (const found of this.#rest.matchAll(END)) {
      const end = found.index + found[0].length;
      if (!ABBREVIATION.test(this.#rest.slice(0, end).trim())) return end;
    }
    if (this.#rest.length < LONGEST) return 0;
    const cut = Math.max(this.#rest.lastIndexOf(', ', LONGEST), this.#rest.lastIndexOf(' ', LONGEST));
    return cut > 0 ? cut + 1 : LONGEST;
  }
}
