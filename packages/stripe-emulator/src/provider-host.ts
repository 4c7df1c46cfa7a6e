import type { VatTerms } from '@northline/vat/vat';
import type { Catalogue } from './catalogue.ts';
import type { Database, Queries } from './queries.ts';

/** What the ledger needs of the program that the provider runs in. */
export interface ProviderHost {
  readonly database: Database;
  readonly jobs: Jobs;
  /** Public address of the host, such as `https://example.com`. */
  readonly siteUrl: string;
  /** The seller's VAT terms; undefined while the seller does not account for VAT. */
  readonly vat: VatTerms | undefined;
  readonly catalogue: Catalogue;
}

/** What the hosted pages need besides. */
export interface PageHost extends ProviderHost {
  readonly seller: Seller;
}

/** A logo on the server of the pages, and whether the seller's name is in it. */
export interface SellerLogo {
  readonly src: string;
  readonly holdsName: boolean;
}

/** The company that customers pay, as pages and invoices name it. */
export interface Seller {
  readonly brand: string;
  readonly logo?: SellerLogo | undefined;
  /** Address of a style sheet with the seller's own colours; undefined for the usual ones. */
  readonly colours?: string | undefined;
  /** Address for questions about an invoice. */
  readonly contact: string;
  /** Empty for none. */
  readonly vatNumber: string;
}

/** What the API needs besides. */
export interface ApiHost extends ProviderHost {
  /** The key that clients send. */
  readonly apiKey: string;
  readonly log: { error(facts: Record<string, unknown>, message: string): void };
}

/** The host's queue. It runs a job at least once, also after the process was killed. */
export interface Jobs {
  /** Declares a kind of job. The job is retried when `work` throws. */
  define<Data extends object>(name: string, policy: JobPolicy, work: (job: Job<Data>) => Promise<void>): void;
  /** Declares work that is done about every `seconds`. */
  every(name: string, seconds: number, work: () => Promise<void>): void;
  /** Adds a job in the transaction of `queries`. It does not start before `after`. */
  add(queries: Queries, name: string, data: object, options?: { readonly after?: Date }): Promise<void>;
}

/** How a kind of job is run. */
export interface JobPolicy {
  /** Attempts after the first. */
  readonly retries: number;
  /** Seconds before the first retry; each later one waits twice as long. */
  readonly retryDelaySeconds: number;
  /** Seconds after which an attempt counts as lost. */
  readonly timeoutSeconds: number;
  /** Jobs of this kind that run at once. */
  readonly concurrency: number;
}

/** One attempt at a job. */
export interface Job<Data> {
  readonly data: Data;
  /** Aborted when the attempt takes too long or the process stops. */
  readonly signal: AbortSignal;
}
