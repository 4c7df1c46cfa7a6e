/** Longest message, characters, the same as in the database; and files of the customer that one takes along. */
export const MESSAGE_LIMITS = { text: 5000, files: 10 } as const;

/** Entries that a thread shows at first, and how many more each look further back brings. */
export const THREAD_PAGE = 100;
/** The furthest that a thread is read back, messages; the data service answers at most a thousand rows. */
export const MOST_OF_A_THREAD = 900;

/** A file that is attached to a message. */
export interface ThreadFile {
  readonly id: string;
  /** Null once it was withdrawn or deleted. */
  readonly file_id: string | null;
  /** As it was called when it was attached. */
  readonly file_name: string;
}

/** An entry of a thread: a message, or an enquiry with the address that the account has proven and an answer to it. */
export interface ThreadEntry {
  readonly id: string;
  readonly from_agency: boolean;
  readonly body: string;
  /** ISO 8601. */
  readonly sent_at: string;
  /** When the other side read it, ISO 8601; enquiries are not counted. */
  readonly read_at: string | null;
  /** What an enquiry was about; null for a message. */
  readonly about: string | null;
  readonly files: readonly ThreadFile[];
  /** Who of the agency wrote it; only at the console, and null where that is not known. */
  readonly author?: string | null;
}

/** A thread, oldest entry first. */
export interface Thread {
  readonly entries: readonly ThreadEntry[];
  /** There are older ones than were asked for. */
  readonly hasEarlier: boolean;
}

/** A row of an enquiry or of an answer to one, as the database shows it. */
export type EnquiryEntry = Pick<ThreadEntry, 'id' | 'from_agency' | 'body' | 'sent_at'> & {
  readonly about: string;
};

/**
 * Puts the newest messages of a thread and what was written as enquiries in the order of their time. Where older messages
 * are left out, enquiries before the oldest that is shown are as well.
 *
 * @param newest at most `most` and one more, newest first
 */
export function threadOf(
  newest: readonly ThreadEntry[],
  enquiries: readonly EnquiryEntry[],
  most: number,
): Thread {
  const shown = newest.slice(0, most);
  const hasEarlier = newest.length > most;
  const since = hasEarlier ? Date.parse(shown.at(-1)?.sent_at ?? '') : Number.NEGATIVE_INFINITY;
  const earlier = enquiries
    .filter(({ sent_at: at }) => Date.parse(at) >= since)
    .map((entry): ThreadEntry => ({ ...entry, read_at: entry.sent_at, files: [] }));
  // Of one moment, which two times of JavaScript can be, messages keep the order that they came in.
  const entries = [...earlier, ...shown.toReversed()].toSorted(
    (one, other) => Date.parse(one.sent_at) - Date.parse(other.sent_at),
  );
  return { entries, hasEarlier };
}

/** Ids of the entries that the reader has not read yet. */
export const unreadIn = (entries: readonly ThreadEntry[], reader: 'customer' | 'agency'): readonly string[] =>
  entries
    .filter(
      ({ from_agency: fromAgency, read_at: readAt }) =>
        readAt === null && fromAgency === (reader === 'customer'),
    )
    .map(({ id }) => id);

/** Which threads the console lists. */
export const THREAD_LISTS = ['all', 'waiting'] as const;
export type ThreadList = (typeof THREAD_LISTS)[number];

/** A thread as the console lists it. Times are ISO 8601. */
export interface ConsoleThreadRow {
  readonly user_id: string;
  readonly email: string | null;
  readonly full_name: string | null;
  /** Messages of the customer that nobody of the agency has read. */
  readonly unread: number;
  readonly last_at: string;
  /** The agency wrote last. */
  readonly answered: boolean;
  /** How the last message begins. */
  readonly last_words: string;
}

/** `GET operator-threads?list=&q=&after=`: unread first, then newest, at most 50; `next` goes into `after`. */
export interface ConsoleThreadPage {
  readonly rows: readonly ConsoleThreadRow[];
  readonly next: string | null;
}

/** `GET operator-thread?user_id=&most=`: a customer and the thread with them, also an empty one. */
export interface ConsoleThread extends Thread {
  readonly customer: {
    readonly user_id: string;
    readonly email: string | null;
    readonly full_name: string | null;
  };
}
