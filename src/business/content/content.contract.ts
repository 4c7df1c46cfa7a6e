import type { SiteContent, SiteLogo } from '../../kernel/contract/site-content.ts';

/** A published version. `created_at` is ISO 8601. */
export interface SiteVersion {
  readonly id: number;
  readonly note: string;
  /** The operator's address; null for the server's own key. */
  readonly made_by: string | null;
  readonly created_at: string;
}

/** `GET operator-content`. */
export interface ContentOverview {
  /** The number of the version in force; 0 while nothing was published. */
  readonly version: number;
  readonly content: SiteContent;
  /** Name, address and social link of the settings, which count while the content has none. */
  readonly settings: { readonly name: string; readonly contactEmail: string; readonly socialUrl: string };
  /** Newest first, at most 50. */
  readonly history: readonly SiteVersion[];
  /** What the operator was writing; null when nothing is kept. */
  readonly draft: SiteDraft | null;
}

/** `POST operator-keep-draft` `{base, content}`; null as content discards it. */
export interface SiteDraft {
  /** The version that it was begun from. */
  readonly base: number;
  readonly content: SiteContent;
  /** ISO 8601. */
  readonly updated_at: string;
}

/** `POST operator-content-names` `{content}`: where a former name of the agency would still stand. */
export interface FormerNames {
  readonly found: readonly { readonly place: string; readonly name: string; readonly words: string }[];
}

/** `GET operator-content-version?id=` and `POST operator-import-content` `{yaml}`: a content to go on from. */
export interface ContentReply {
  readonly content: SiteContent;
}

/** `POST operator-check-logo` `{file}`, the file in base64: the logo as it may be kept. */
export interface LogoReply {
  readonly logo: SiteLogo;
}

/** `POST operator-preview-content` `{content}`: where it can be looked at for an hour. */
export interface PreviewReply {
  /** Without the page: a name of PREVIEWED_PAGES follows, `services/` with the end of a service's address, or nothing. */
  readonly path: string;
}

/** `POST operator-publish-content` `{content, base, note}`; `base` is the version that it was made from. */
export interface PublishReply {
  readonly version: number;
}

/** Pages that a preview shows, by what follows its path. */
export const PREVIEWED_PAGES = {
  '': 'home',
  about: 'about',
  faq: 'faq',
  help: 'help',
  changelog: 'changelog',
  privacy: 'privacy',
  terms: 'terms',
} as const;
