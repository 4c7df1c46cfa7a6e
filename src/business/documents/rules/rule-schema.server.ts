import { DOCUMENT_KINDS } from '@northline/document-reader/report.contract';
import { z } from 'zod';
import type { Acts, Wanted } from './rule.contract.ts';

/** A text of one line. */
export const line = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(most)
    .refine((text) => !/\p{Cc}/u.test(text), { error: 'must be one line' });

/** The shape of {@link Wanted}, with its limits; at least one condition. */
export const wantedSchema: z.ZodType<Wanted> = z
  .strictObject({
    kind: z.enum(DOCUMENT_KINDS).optional(),
    sender: line(100).optional(),
    least: z.number().min(0).max(1e12).optional(),
    most: z.number().min(0).max(1e12).optional(),
    field: z.strictObject({ label: line(60), contains: line(100).optional() }).optional(),
  })
  .refine((wanted) => Object.values(wanted).some((each) => each !== undefined), {
    error: 'must name a kind, a sender, an amount or a field',
  });

/** The shape of {@link Acts}, with its limits; at least one action. */
export const actsSchema: z.ZodType<Acts> = z
  .strictObject({
    tag: line(40).optional(),
    name: line(150).optional(),
    mail: z.literal(true).optional(),
    webhook: z
      .url({ protocol: /^https?$/ })
      .max(500)
      .optional(),
    remind: z.strictObject({ label: line(60), days: z.number().int().min(0).max(365) }).optional(),
  })
  .refine((acts) => Object.values(acts).some((each) => each !== undefined), {
    error: 'must name something to do',
  });
