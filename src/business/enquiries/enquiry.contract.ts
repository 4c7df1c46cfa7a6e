import type { WorkProof } from './proof-of-work/proof-of-work.contract.ts';

/**
 * What helps the server to distinguish people from programs. Pages send it; other clients may leave it out.
 */
export interface EnquiryTraces {
  /** A field that people do not see and so leave empty. */
  readonly nickname?: string;
  /** Milliseconds between opening and sending the form. */
  readonly elapsed_ms?: number;
  /** Work that the browser did while the visitor typed; an enquiry without it is stored and marked. */
  readonly proof?: WorkProof;
}

/** Body of `POST /functions/v1/enquiry` (docs/specification/site.md §3, §5). */
export interface EnquiryBody extends EnquiryTraces {
  readonly name: string;
  readonly email: string;
  readonly phone?: string;
  readonly company_name?: string;
  /** A whole address or a bare domain. */
  readonly website?: string;
  /** One of the services that the site offers. */
  readonly enquiry_type: string;
  readonly additional_notes?: string;
}

/** Body of `POST /functions/v1/course-inquiry`. */
export interface CourseInquiryBody extends EnquiryTraces {
  readonly name: string;
  readonly email: string;
  readonly company_name?: string;
  readonly website?: string;
  readonly course_description: string;
}

/** The reply of both functions: `ENQ-…` or `COURSE-…`, shown to the visitor. */
export interface EnquiryReceipt {
  readonly id: string;
}

/** The promised time for a reply (docs/specification/site.md §9), and when the agency is reminded of it. */
export const REPLY_HOURS = 24;
export const WARNING_HOURS = 20;

/** Longest values, characters. */
export const ENQUIRY_LENGTHS = {
  name: 120,
  email: 254,
  phone: 40,
  company_name: 160,
  website: 300,
  additional_notes: 5000,
  course_description: 5000,
} as const;

/**
 * A website in its stored form: `example.com` becomes `https://example.com/`. Undefined for anything but a
 * web address.
 *
 * @example asWebsite('example.com/about') // 'https://example.com/about'
 */
export function asWebsite(text: string): string | undefined {
  const trimmed = text.trim();
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`;
  if (/\s/.test(address) || !URL.canParse(address)) return undefined;
  const { protocol, hostname, username, href } = new URL(address);
  const named = /^([a-z0-9-]+\.)+[a-z0-9-]{2,}$/i.test(hostname);
  return (protocol === 'https:' || protocol === 'http:') && named && username === '' ? href : undefined;
}
