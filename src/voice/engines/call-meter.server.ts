/** The parts of a call that are charged for. */
export type ChargedPart = 'stt' | 'tts' | 'llm';

/** What a provider has charged for a part of a call. */
export interface PartCost {
  readonly part: ChargedPart;
  /** The stored credential that pays it; undefined for one that came with the assistant, and for the installation. */
  readonly credentialId: string | undefined;
  /** US dollars. */
  readonly dollars: number;
}

interface Source extends Omit<PartCost, 'dollars'> {
  dollars(): number;
}

/** Counts what the providers of one call charge, each by the prices that apply to it. */
export class CallMeter {
  readonly #sources: Source[] = [];
  #characters = 0;

  /** Adds a provider that the call uses from now on; its `dollars` is read whenever the costs are. */
  add(source: Source): void {
    this.#sources.push(source);
  }

  /**
   * Counts words that are spoken outside the conversation, for example to the person a caller is put through
   * to.
   */
  spoke(words: string): void {
    this.#characters += words.length;
  }

  /** Characters that were spoken outside the conversation. */
  get characters(): number {
    return this.#characters;
  }

  /** What was charged so far, by part and credential. */
  costs(): readonly PartCost[] {
    return this.#sources.map(({ part, credentialId, dollars }) => ({
      ...{ part, credentialId },
      dollars: dollars(),
    }));
  }
}
