/** Answers of the functions behind the console's Settings and Audit pages; times are ISO 8601. */

/** One setting as the page shows it. */
export interface ShownSetting {
  /** Its name in the environment. */
  readonly name: string;
  readonly label: string;
  /** The sentence of docs/settings.md. */
  readonly about: string;
  readonly kind: 'text' | 'switch';
  /** The value is a secret, so `shown` is not the value. */
  readonly hidden: boolean;
  readonly origin: 'environment' | 'console' | 'default';
  /** The value that the installation is to use; of a secret only the server that it leads to, or "Set". */
  readonly shown: string;
  /** The value without any of the environment and of the console. */
  readonly usual: string;
  /** Only the environment of the server decides it: the page shows it and cannot change it. */
  readonly fixed: boolean;
  /** The process still uses a former value, until its next start. */
  readonly pending: boolean;
  /** Why the stored value is not in use. */
  readonly fault: string | null;
}

export interface ShownGroup {
  readonly id: string;
  readonly title: string;
  /** What *Try it* does; null where nothing can be tried. */
  readonly trial: string | null;
  readonly settings: readonly ShownSetting[];
}

/** `GET operator-settings`. */
export interface SettingsPage {
  readonly groups: readonly ShownGroup[];
  /** When the process began that answers: another time after a start. */
  readonly since: string;
  /** Whether `operator-restart` can start the product anew. */
  readonly restarts: boolean;
}

/** Reply of `POST operator-restart`: the settings that the next start takes over. */
export interface RestartBegun {
  readonly waited: readonly string[];
}

/** `POST operator-save-settings`: words by name; null takes a stored value away. */
export interface SettingsChange {
  readonly group: string;
  readonly words: Readonly<Record<string, string | null>>;
}

/** Its reply: the settings that changed, and those of them that wait for the next start. */
export interface SettingsSaved {
  readonly changed: readonly string[];
  readonly pending: readonly string[];
}

/** `POST operator-try-settings`: how each part of a trial went. */
export interface TrialReply {
  readonly results: readonly { readonly ok: boolean; readonly sentence: string }[];
}

/** An entry of an audit log. */
export interface AuditEntry {
  readonly log: 'console' | 'accounts' | 'payments';
  readonly id: string;
  readonly at: string;
  /** The account; null for the command line and for the server's own key, or a deleted account. */
  readonly actor: string | null;
  /** The actor's role at that time; null outside the console. */
  readonly role: string | null;
  /** Who did what to what, for people; `action` is the code of it. */
  readonly sentence: string;
  readonly action: string;
  readonly subject: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** `GET operator-audit?log=&q=&after=`: at most 50, newest first; `next` goes into `after`. */
export interface AuditPage {
  readonly rows: readonly AuditEntry[];
  readonly next: string | null;
}

/** Code of the refusal where an operator has no second factor yet. */
export const SECOND_FACTOR_MISSING = 'second_factor_missing';
