/** Longest texts of a tool and of a credential, characters. */
export const TOOL_LENGTHS = {
  name: 64,
  description: 1000,
  url: 2000,
  schema: 20_000,
  secret: 2000,
  trial: 20_000,
} as const;

/** The types of tools that the console edits; the others are made by the platform's API. */
export const TOOL_TYPES = ['function', 'apiRequest'] as const;
export type EditedType = (typeof TOOL_TYPES)[number];
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** A tool as the form has it. */
export interface ToolDraft {
  readonly type: EditedType;
  readonly name: string;
  readonly description: string;
  readonly url: string;
  readonly method: (typeof METHODS)[number];
  /** A JSON schema of the arguments; empty for a tool without arguments. */
  readonly parameters: string;
}

/** A tool in the list. */
export interface ConsoleTool {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly updated_at: string;
}

/** `GET operator-tools`. */
export interface ToolsPage {
  readonly rows: readonly ConsoleTool[];
  readonly next: string | null;
}

/** `GET operator-tool`. */
export interface ToolDetail {
  readonly tool: ConsoleTool;
  /** Null for a type that the console does not edit. */
  readonly draft: ToolDraft | null;
  /** Arguments that fit the schema, as JSON; null where only a call can try the tool. */
  readonly example: string | null;
}

/** What a trial of a tool brought. */
export interface ToolTrial {
  readonly failed: boolean;
  /** The result as the dialogue gets it. */
  readonly answer: string;
  /** The sentences that a caller would hear. */
  readonly said: readonly string[];
  readonly milliseconds: number;
}

/** A credential in the list; its keys are never shown. */
export interface ConsoleCredential {
  readonly id: string;
  readonly provider: string;
  readonly name: string | null;
  readonly updated_at: string;
  /** Whether its provider can be tried from here. */
  readonly can_try: boolean;
}

/** `GET operator-credentials`. */
export interface CredentialsPage {
  readonly rows: readonly ConsoleCredential[];
  readonly next: string | null;
  /** The providers that a new credential may be for. */
  readonly providers: readonly string[];
}

/** What came of a trial of a credential, as sentences. */
export interface CredentialTrial {
  readonly results: readonly { readonly ok: boolean; readonly sentence: string }[];
}
