/** Answers and bodies of the console's functions about assistants, `/functions/v1/operator-…`; times are ISO 8601. */

/** The engine that one part of an assistant runs on. */
export interface EngineChoice {
  /** `embedded`, or a provider that is connected here. */
  readonly provider: string;
  /** A model's name or a voice's id; empty for the usual one. */
  readonly choice: string;
}

/** A word, and how this server's voice says it: in plain spelling, or in phonemes between slashes. */
export interface Pronunciation {
  readonly word: string;
  readonly said: string;
}

/** How an assistant stands on other sites; empty texts for what is not set. */
export interface WebsiteDraft {
  readonly origins: readonly string[];
  readonly greeting: string;
  readonly light: string;
  readonly dark: string;
  /** Hours of a week, such as `mon-fri 9:00-17:00`. */
  readonly open: string;
}

/** The fields of an assistant that the console edits; all others stay as they are. */
export interface AssistantDraft {
  readonly name: string;
  /** If it is empty, the assistant greets in words of its own. */
  readonly firstMessage: string;
  /** If it is empty, the assistant speaks for the agency, from its catalogue. */
  readonly prompt: string;
  readonly fileIds: readonly string[];
  readonly toolIds: readonly string[];
  readonly model: EngineChoice;
  readonly voice: EngineChoice;
  readonly transcriber: EngineChoice;
  readonly pronunciations: readonly Pronunciation[];
  readonly website: WebsiteDraft;
}

/** A row of `GET operator-assistants`. */
export interface ConsoleAssistant {
  readonly id: string;
  readonly name: string | null;
  readonly version: number;
  readonly updated_at: string;
  /** Whether this is the assistant that the site's own button calls. */
  readonly is_site: boolean;
}

/** `GET operator-assistants?q=&after=`: at most 50, newest first. */
export interface AssistantsPage {
  readonly rows: readonly ConsoleAssistant[];
  readonly next: string | null;
}

/** A file or a tool that an assistant can be given. */
export interface AssistantPart {
  readonly id: string;
  readonly name: string;
  /** For a file, how far it has been read; null for a tool. */
  readonly status: string | null;
}

/** `GET operator-assistant?id=`; without an id, the values that a new assistant begins with. */
export interface AssistantDetail {
  readonly assistant: ConsoleAssistant | null;
  readonly draft: AssistantDraft;
  /** Tools that are part of the assistant itself; only the platform's API changes them. */
  readonly own_tools: readonly string[];
  readonly files: readonly AssistantPart[];
  readonly tools: readonly AssistantPart[];
  /** The connected providers of each part, without the embedded one. */
  readonly providers: Readonly<Record<'model' | 'voice' | 'transcriber', readonly string[]>>;
  /** Newest first; the first is the present one. */
  readonly versions: readonly {
    readonly version: number;
    /** Null where the platform's API or the product itself made the version. */
    readonly author: string | null;
    readonly at: string;
    /** Names of the fields that differ from the version before. */
    readonly changed: readonly string[];
  }[];
}

/** The answer to a save. `warnings` name the settings that are kept but have no effect. */
export interface AssistantSaved {
  readonly id: string;
  readonly updated_at: string;
  readonly warnings: readonly string[];
}

/** A call with a draft, in the form of the answer to `POST /call/web`. */
export interface DraftCall {
  readonly id: string;
  readonly webCallUrl: string;
}

/** The answer of `POST operator-add-file`. */
export interface FileAdded {
  readonly id: string;
}

/** Largest file that the console sends, bytes. */
export const MOST_FILE_BYTES = 10_000_000;

/** The answer to a request for a spoken preview. */
export interface VoicePreview {
  /** A WAVE file, base64. */
  readonly sound: string;
  /** Why another voice than the requested one is heard; empty where it is the requested one. */
  readonly warnings: readonly string[];
}

/** Longest prompt, first message, name and preview, characters. */
export const ASSISTANT_LENGTHS = { prompt: 20_000, firstMessage: 2000, name: 40, preview: 200 } as const;

/** The embedded voices that come with the product. */
export const OWN_VOICES: readonly (readonly [string, string])[] = [['emma', 'Emma, a woman, British']];
