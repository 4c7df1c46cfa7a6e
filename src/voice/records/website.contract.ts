import { z } from 'zod';
import { isEmail } from '../../kernel/contract/email-address.ts';
import { timeZone, weekHours } from './voice-fields.contract.ts';

/** Where a page comes from: scheme, host and port, as browsers send it in `Origin`. */
const pageOrigin = z
  .string()
  .max(200)
  .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? '') && URL.parse(text)?.origin === text, {
    error: 'must be the origin of a site as https://shop.example, without a path',
  });
const colour = z.string().regex(/^#[0-9a-f]{6}$/i, 'must be a colour as #1f6feb');

/** How an assistant stands on other sites; an addition of ours to the published API. */
export const websiteSchema = z.strictObject({
  origins: z.array(pageOrigin).max(20).optional(),
  greeting: z.string().trim().min(1).max(300).optional(),
  colours: z.strictObject({ light: colour.optional(), dark: colour.optional() }).optional(),
  hours: z.strictObject({ open: weekHours, timeZone: timeZone.optional() }).optional(),
});
export type Website = z.output<typeof websiteSchema>;

/** `GET /website/{id}`: what the script of a site needs to know of its assistant. */
export interface WebsiteAnswer {
  /** The assistant's name; the agency's where it has none. */
  readonly name: string;
  readonly colours: { readonly light?: string | undefined; readonly dark?: string | undefined };
  /** Whether somebody can talk to it now; otherwise visitors leave a message. */
  readonly open: boolean;
  /** The hours as they were written, such as `mon-fri 9:00-17:00`; null where it is always open. */
  readonly hours: { readonly open: string; readonly timeZone: string } | null;
  /** Whether the assistant asks in a call if it may record it. */
  readonly asksToRecord: boolean;
  /** Whether it understands speech; otherwise visitors type. */
  readonly hears: boolean;
}

/** `POST /website/{id}/call`. */
export const websiteCallSchema = z.strictObject({ written: z.boolean().default(false) });
/** Its answer: the address of the call's room, with the proof that it belongs to the visitor. */
export interface WebsiteCall {
  readonly webCallUrl: string;
}

/** `POST /website/{id}/message`: what a visitor leaves for a person. */
export const websiteMessageSchema = z.strictObject({
  name: z.string().trim().min(1).max(120),
  email: z.string().trim().max(254).refine(isEmail, { error: 'must be an email address' }),
  message: z.string().trim().min(1).max(4000),
  /** A field that people do not see and so leave empty. */
  nickname: z.string().max(200).default(''),
});
