import { z } from 'zod';
import { moment, momentOrDay } from '../../kernel/contract/times.ts';
import { isEmergencyNumber, NO_EMERGENCY_CALLS } from './emergency-numbers.contract.ts';
import { sipTrunkSchema } from './sip-trunk.contract.ts';
import { assistantOverridesSchema, assistantSchema, squadSchema } from './voice-assistant.contract.ts';
import { eventServer, httpUrl, jsonObject, shortName, timeZone, weekHours } from './voice-fields.contract.ts';

const E164 = z
  .string()
  .regex(/^\+[1-9]\d{4,14}$/, 'must be a number as +442079460000')
  .refine((number) => !isEmergencyNumber(number), { error: NO_EMERGENCY_CALLS });
const sipUri = z
  .string()
  .max(500)
  .regex(/^sips?:\S+$/, "must start with 'sip:'");

const price = z.number().min(0).max(1000);
/** The fields of a credential. */
export const credentialFieldsSchema = z
  .looseObject({
    provider: z.string().regex(/^[a-z0-9][a-z0-9.-]{0,59}$/, 'must be the name of a provider'),
    name: shortName.optional(),
    /**
     * An addition of ours: what the provider charges, US dollars, and the most that it may charge in 24
     * hours.
     */
    prices: z
      .strictObject({
        sttPerMinute: price.optional(),
        ttsPer1000Characters: price.optional(),
        llmPer1000PromptTokens: price.optional(),
        llmPer1000CompletionTokens: price.optional(),
      })
      .optional(),
    dailySpend: z.number().min(0).max(1_000_000).optional(),
  })
  .refine(({ prices, dailySpend }) => dailySpend === undefined || prices !== undefined, {
    path: ['dailySpend'],
    error: 'needs prices: without them nothing is counted',
  });
const NO_KEYS: ReadonlySet<string> = new Set(['provider', 'name', 'prices', 'dailySpend']);
/** A provider's credential. Everything in it but `provider` and `name` is stored encrypted. */
export const credentialSchema = credentialFieldsSchema
  .refine((given) => Object.keys(given).some((key) => !NO_KEYS.has(key)), {
    error: 'holds no key',
  })
  .superRefine((given, context) => {
    if (given.provider !== 'byo-sip-trunk') return;
    const read = sipTrunkSchema.safeParse(given);
    for (const { path, message } of read.error?.issues ?? [])
      context.addIssue({ code: 'custom', path, message });
  });

/** Somebody whom a caller can be put through to. */
export const destinationSchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('number'), number: E164 }),
  z.looseObject({ type: z.literal('sip'), sipUri }),
]);

/**
 * When a number is answered, and what happens to calls at other times; an addition of ours to the published
 * API.
 */
export const numberHoursSchema = z.strictObject({
  open: weekHours,
  timeZone: timeZone.optional(),
  outside: z
    .strictObject({
      assistantId: z.uuid().optional(),
      destination: destinationSchema.optional(),
      message: z.string().min(1).max(500).optional(),
    })
    .refine((given) => Object.values(given).filter((one) => one !== undefined).length < 2, {
      error: 'may have one of assistantId, destination and message',
    })
    .optional(),
});

/** The number or address that the do-not-call list is searched for. */
export const doNotCallSchema = z
  .strictObject({ number: E164.optional(), sipUri: sipUri.optional() })
  .refine(({ number, sipUri: address }) => (number === undefined) !== (address === undefined), {
    error: 'needs exactly one of number and sipUri',
  });

/** A member may be null, since clients send null for what a page left out; null counts as absent. */
const absentWhenNull = <Schema extends z.ZodType>(schema: Schema) =>
  schema
    .nullish()
    .transform((given) => given ?? undefined)
    .optional();

const NO_WORKFLOWS = 'workflows are not offered; a squad hands a call from one assistant to another';
const OWN_SIP_URI =
  'a bought number gets a sipUri of its own; a SIP trunk of yours is a byo-phone-number with its credential';
const PHONE_FIELDS = {
  name: shortName.optional(),
  assistantId: z.uuid().nullish(),
  squadId: z.uuid().nullish(),
  serverUrl: httpUrl.optional(),
  serverUrlSecret: z.string().max(1000).optional(),
  server: eventServer.optional(),
  fallbackDestination: destinationSchema.optional(),
  hours: numberHoursSchema.nullish(),
  hooks: absentWhenNull(
    z
      .array(jsonObject)
      .max(
        0,
        'hooks of a number are not offered; its hours, fallbackDestination and server say who takes a call',
      ),
  ),
  workflowId: absentWhenNull(z.never({ error: NO_WORKFLOWS })),
};
const areaCode = z.string().regex(/^[2-9]\d{2}$/, 'must be three digits as 212');

const secretText = z.string().min(1).max(1000);
/** POST /phone-number/buy. */
export const buyNumberSchema = z.strictObject({ ...PHONE_FIELDS, areaCode });
/** PATCH /phone-number/{id}: what may change about a number. */
export const changeNumberSchema = z.strictObject({
  ...PHONE_FIELDS,
  provider: z.string().max(60).optional(),
  twilioAuthToken: secretText.optional(),
  twilioApiKey: secretText.optional(),
  twilioApiSecret: secretText.optional(),
});
/** Digits as providers write them, with or without the plus; they are stored with it. */
const providerNumber = z
  .string()
  .transform((digits) => (digits.startsWith('+') ? digits : `+${digits}`))
  .pipe(E164);
const accountSid = z.string().regex(/^AC[0-9a-zA-Z]{8,40}$/, 'must be an account as AC0123456789abcdef');
const TWILIO_FIELDS = {
  ...PHONE_FIELDS,
  twilioAccountSid: accountSid,
  twilioAuthToken: secretText.optional(),
  twilioApiKey: secretText.optional(),
  twilioApiSecret: secretText.optional(),
  smsEnabled: z.literal(false, { error: 'text messages are not offered' }).optional(),
};
type TwilioSecrets = Partial<
  Record<'twilioAuthToken' | 'twilioApiKey' | 'twilioApiSecret', string | undefined>
>;
const hasSecret = ({ twilioAuthToken, twilioApiKey, twilioApiSecret }: TwilioSecrets): boolean =>
  twilioAuthToken !== undefined || (twilioApiKey !== undefined && twilioApiSecret !== undefined);
const NO_SECRET = {
  path: ['twilioAuthToken'],
  error: 'is needed, or twilioApiKey with twilioApiSecret',
};

/** POST /phone-number/import/twilio. */
export const importTwilioSchema = z
  .strictObject({ ...TWILIO_FIELDS, twilioPhoneNumber: providerNumber })
  .refine(hasSecret, NO_SECRET);
/** POST /phone-number/import/vonage. */
export const importVonageSchema = z.strictObject({
  ...PHONE_FIELDS,
  vonagePhoneNumber: providerNumber,
  credentialId: z.uuid(),
});
/** POST /phone-number: how the server SDK buys (`vapi`) and imports numbers. */
export const createNumberSchema = z.discriminatedUnion(
  'provider',
  [
    z.strictObject({
      ...PHONE_FIELDS,
      provider: z.literal('vapi'),
      numberDesiredAreaCode: areaCode.optional(),
      sipUri: absentWhenNull(z.never({ error: OWN_SIP_URI })),
      authentication: absentWhenNull(z.never({ error: OWN_SIP_URI })),
    }),
    z
      .strictObject({ ...TWILIO_FIELDS, provider: z.literal('twilio'), number: providerNumber })
      .refine(hasSecret, NO_SECRET),
    z.strictObject({
      ...PHONE_FIELDS,
      provider: z.literal('vonage'),
      number: providerNumber,
      credentialId: z.uuid(),
    }),
    z.strictObject({
      ...PHONE_FIELDS,
      provider: z.literal('byo-phone-number'),
      number: providerNumber,
      credentialId: z.uuid(),
      numberE164CheckEnabled: z
        .literal(true, { error: 'only numbers as +442079460000 are taken' })
        .optional(),
    }),
  ],
  { error: 'must be vapi, twilio, vonage or byo-phone-number' },
);

/** A person to be called. */
export const customerSchema = z
  .strictObject({
    number: E164.optional(),
    sipUri: sipUri.optional(),
    name: z.string().max(40).optional(),
    extension: z.string().max(10).optional(),
    email: z.string().max(320).optional(),
    externalId: z.string().max(200).optional(),
    numberE164CheckEnabled: z.boolean().optional(),
    assistantOverrides: assistantOverridesSchema.optional(),
    squadOverrides: assistantOverridesSchema.optional(),
  })
  .refine(({ number, sipUri: address }) => (number === undefined) !== (address === undefined), {
    error: 'needs exactly one of number and sipUri',
  });

const CALL_SUBJECT = {
  assistant: absentWhenNull(assistantSchema),
  assistantId: absentWhenNull(z.uuid()),
  assistantOverrides: absentWhenNull(assistantOverridesSchema),
  assistantVersion: absentWhenNull(z.string().max(100)),
  squad: absentWhenNull(squadSchema),
  squadId: absentWhenNull(z.uuid()),
  /** Overrides for every member, applied over the squad's own `membersOverrides`. */
  squadOverrides: absentWhenNull(assistantOverridesSchema),
  transport: absentWhenNull(
    z.never({
      error:
        'the route decides: a call by /call/web uses WebRTC, every other call SIP; no other transport is offered',
    }),
  ),
};
const noWorkflow = absentWhenNull(z.never({ error: NO_WORKFLOWS }));
/** The published clients send these members where a page names a workflow. */
const NO_WORKFLOW = { workflow: noWorkflow, workflowId: noWorkflow, workflowOverrides: noWorkflow };
type Subject = Partial<Record<keyof typeof CALL_SUBJECT, unknown>>;
const named = ({ assistant, assistantId, squad, squadId }: Subject): number =>
  [assistant, assistantId, squad, squadId].filter((given) => given !== undefined).length;
/** The sentences of docs/specification/platform.md §8. */
const NO_SUBJECT = 'Assistant or Squad must be provided.';
const MANY_SUBJECTS = 'Only one of assistant, assistantId, squad and squadId may be given.';

/** POST /call/web (docs/specification/platform.md §3). */
export const webCallSchema = z
  .strictObject({
    ...CALL_SUBJECT,
    ...NO_WORKFLOW,
    name: shortName.optional(),
    metadata: jsonObject.optional(),
    roomDeleteOnUserLeaveEnabled: z.boolean().optional(),
  })
  .refine((given) => named(given) > 0, { error: NO_SUBJECT })
  .refine((given) => named(given) < 2, { error: MANY_SUBJECTS });
/** A web call that names neither assistant nor squad. */
export const bareCallSchema = z.strictObject({
  assistant: absentWhenNull(z.never()),
  assistantId: absentWhenNull(z.never()),
  squad: absentWhenNull(z.never()),
  squadId: absentWhenNull(z.never()),
  assistantOverrides: absentWhenNull(z.never()),
  name: shortName.optional(),
  metadata: jsonObject.optional(),
});
export type WebCallRequest = z.output<typeof webCallSchema>;

/** When a call may begin; after `latestAt` it is not made. */
export const schedulePlanSchema = z
  .strictObject({
    earliestAt: moment,
    latestAt: moment.optional(),
  })
  .refine(
    ({ earliestAt, latestAt }) => latestAt === undefined || Date.parse(earliestAt) <= Date.parse(latestAt),
    {
      path: ['latestAt'],
      error: 'must not be before earliestAt',
    },
  );

/** POST /call/phone. */
export const phoneCallSchema = z
  .strictObject({
    ...CALL_SUBJECT,
    name: shortName.optional(),
    phoneNumberId: z.uuid().optional(),
    phoneNumber: jsonObject.optional(),
    customerId: z.uuid().optional(),
    customer: customerSchema.optional(),
    customers: z.array(customerSchema).max(100).optional(),
    schedulePlan: schedulePlanSchema.optional(),
    metadata: jsonObject.optional(),
  })
  .refine((given) => named(given) > 0, { error: NO_SUBJECT })
  .refine((given) => named(given) < 2, { error: MANY_SUBJECTS });

export type PhoneCallRequest = z.output<typeof phoneCallSchema>;

/** PATCH /call/{id} accepts only the name. */
export const changeCallSchema = z.strictObject({ name: shortName });

const MOMENTS = {
  createdAtGt: momentOrDay.optional(),
  createdAtLt: momentOrDay.optional(),
  createdAtGe: momentOrDay.optional(),
  createdAtLe: momentOrDay.optional(),
  updatedAtGt: momentOrDay.optional(),
  updatedAtLt: momentOrDay.optional(),
  updatedAtGe: momentOrDay.optional(),
  updatedAtLe: momentOrDay.optional(),
};
const LIMIT = z.coerce.number().int().min(0).max(1000).default(100);

/** The query of GET /do-not-call. */
export const doNotCallListSchema = z.strictObject({ limit: LIMIT });
/** The query of every list (docs/contracts/voice.md §3). */
export const listSchema = z.strictObject({ ...MOMENTS, limit: LIMIT });
/** The query of GET /call and GET /v2/call. */
export const callListSchema = listSchema.extend({
  id: z.uuid().optional(),
  assistantId: z.uuid().optional(),
  phoneNumberId: z.uuid().optional(),
});
export type ListQuery = z.output<typeof callListSchema>;

/** The fields of POST /file besides the file itself. */
export const fileFieldsSchema = z.strictObject({
  name: z.string().min(1).max(255).optional(),
  purpose: z.string().min(1).max(100).optional(),
  metadata: jsonObject.optional(),
});
/** PATCH /file/{id}. */
export const changeFileSchema = z.strictObject({ name: z.string().min(1).max(255) });
/** The query of GET /file; the server SDK sends a purpose. */
export const fileListSchema = listSchema.extend({ purpose: z.string().max(100).optional() });

/** The further members of the query of a list by pages. */
export const PAGING = {
  page: z.coerce.number().int().min(1).max(100_000).default(1),
  sortOrder: z.enum(['ASC', 'DESC']).default('DESC'),
};
/** The query of GET /v2/phone-number. */
export const pagedNumberSchema = listSchema.extend({
  ...PAGING,
  search: z.string().max(100).optional(),
  sortBy: z.literal('createdAt', { error: 'must be createdAt' }).optional(),
});
/** The query of GET /v2/call. */
export const pagedCallSchema = callListSchema.extend(PAGING);
/** The query of GET /log. */
export const logListSchema = z.strictObject({
  ...{ ...MOMENTS, ...PAGING },
  // The published client documents ASC for this list alone.
  sortOrder: PAGING.sortOrder.unwrap().default('ASC'),
  limit: LIMIT,
  callId: z.uuid(),
});
/** The query of GET /metrics. */
export const metricsSchema = z
  .strictObject({
    timezone: timeZone.default('UTC'),
    rangeStart: moment.optional(),
    rangeEnd: moment.optional(),
  })
  .refine(
    ({ rangeStart, rangeEnd }) => !rangeStart || !rangeEnd || Date.parse(rangeStart) < Date.parse(rangeEnd),
    { path: ['rangeEnd'], error: 'must be after rangeStart' },
  );
