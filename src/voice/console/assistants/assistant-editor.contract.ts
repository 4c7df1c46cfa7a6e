/** Answers and bodies of the console's functions about assistants, `/functions/v1/operator-…`; times are ISO 8601. */

/** The engine that one part of an assistant runs on. */
export interface EngineChoice {
  /** `embedded`, or a provider that is connected here. */
  readonly provider: string;
  /** A model's name, a voice's id; empty for the usual one. */
  readonly choice: string;
}

/** What the console edits of an assistant; everything else of it stays as it is. */
export interface AssistantDraft {
  readonly name: string;
  /** Empty: the assistant greets in its own words. */
  readonly firstMessage: string;
  /** Empty: it speaks for the agency, out of its catalogue. */
  readonly prompt: string;
  readonly fileIds: readonly string[];
  readonly toolIds: readonly string[];
  readonly model: EngineChoice;
  readonly voice: EngineChoice;
  readonly transcriber: EngineChoice;
}

/** A row of `GET operator-assistants`. */
export interface ConsoleAssistant {
  readonly id: string;
  readonly name: string | null;
  readonly version: number;
  readonly updated_at: string;
  /** The one that the site's own button calls. */
  readonly is_site: boolean;
}

/** `GET operator-assistants?q=&after=`: at most 50, newest first. */
export interface AssistantsPage {
  readonly rows: readonly ConsoleAssistant[];
  readonly next: string | null;
}

/** A file or a tool that an assistant may be given. */
export interface AssistantPart {
  readonly id: string;
  readonly name: string;
  /** Of a file: how far it was read. */
  readonly status: string | null;
}

/** `GET operator-assistant?id=`; without an id what a new one begins with. */
export interface AssistantDetail {
  readonly assistant: ConsoleAssistant | null;
  readonly draft: AssistantDraft;
  /** Tools that stand in the assistant itself; the platform's API changes them. */
  readonly own_tools: readonly string[];
  readonly files: readonly AssistantPart[];
  readonly tools: readonly AssistantPart[];
  /** Providers of each part that are connected here, without the embedded one. */
  readonly providers: Readonly<Record<'model' | 'voice' | 'transcriber', readonly string[]>>;
  /** Newest first; the first is the present one. */
  readonly versions: readonly {
    readonly version: number;
    /** Null for the platform's API and the product itself. */
    readonly author: string | null;
    readonly at: string;
    /** Names of what is otherwise than in the version before. */
    readonly changed: readonly string[];
  }[];
}

/** What a save answers. `warnings` name what is kept and does not act. */
export interface AssistantSaved {
  readonly id: string;
  readonly updated_at: string;
  readonly warnings: readonly string[];
}

/** A call with a draft, as `POST /call/web` answers it. */
export interface DraftCall {
  readonly id: string;
  readonly webCallUrl: string;
}

/** What `POST operator-add-file` answers. */
export interface FileAdded {
  readonly id: string;
}

/** Largest file that the console sends, bytes. */
export const MOST_FILE_BYTES = 10_000_000;

/** What a spoken preview answers. */
export interface VoicePreview {
  /** A WAVE file, base64. */
  readonly sound: string;
  /** Why another voice than the wished one is heard; none where it is that one. */
  readonly warnings: readonly string[];
}

/** Longest prompt, first message, name and preview, characters. */
export const ASSISTANT_LENGTHS = { prompt: 20_000, firstMessage: 2000, name: 40, preview: 200 } as const;

/** The voices that are spoken here. */
export const OWN_VOICES: readonly (readonly [string, string])[] = [
  ['slt', 'A woman, American'],
  ['rms', 'A man, American'],
  ['kal16', 'A man, American, deep'],
  ['awb', 'A man, Scottish'],
];
