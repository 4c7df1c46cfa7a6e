import { z } from 'zod';
import { assistantOverridesSchema } from './voice-assistant.contract.ts';
import { shortName, timeZone, weekHours } from './voice-fields.contract.ts';
import { customerSchema, listSchema, schedulePlanSchema } from './voice-resources.contract.ts';

const notOffered = (error: string) => z.never({ error }).optional();

/** Local hours in which a campaign calls; an addition of ours to the published API. */
const hours = z.strictObject({ open: weekHours, timeZone: timeZone.optional() });
/**
 * Whether and when somebody who was not reached is called again; an addition of ours to the published API.
 */
const retryPlan = z.strictObject({
  attempts: z.number().int().min(1).max(5),
  minutesBetween: z.number().min(1).max(10_080).default(60),
});

const FIELDS = {
  name: shortName,
  assistantId: z.uuid().optional(),
  squadId: z.uuid().optional(),
  assistantOverrides: assistantOverridesSchema.optional(),
  phoneNumberId: z.uuid().optional(),
  schedulePlan: schedulePlanSchema.optional(),
  maxConcurrency: z.number().int().min(1).max(100).optional(),
  callsPerMinute: z.number().int().min(1).max(600).optional(),
  hours: hours.optional(),
  retryPlan: retryPlan.optional(),
};
const WORKFLOW = 'workflows are not offered; a squad hands a call from one assistant to another';

/** POST /campaign. */
export const campaignSchema = z
  .strictObject({
    ...FIELDS,
    customers: z.array(customerSchema).min(1).max(5000),
    workflowId: notOffered(WORKFLOW),
    dialPlan: notOffered('a campaign calls from one number: make one campaign for each'),
    squadOverrides: notOffered('the members of a squad have overrides of their own'),
    predialPlan: notOffered('nobody is asked before a call; leave out who is not to be called'),
    server: notOffered('the assistant has a server'),
    serverMessages: notOffered('the assistant chooses its messages'),
    duplicateFromCampaignId: notOffered('give the customers again'),
  })
  .refine(({ assistantId, squadId }) => (assistantId === undefined) !== (squadId === undefined), {
    error: 'needs exactly one of assistantId and squadId',
  })
  .superRefine(({ customers }, context) => {
    const seen = new Set<string>();
    for (const [at, { number, sipUri }] of customers.entries()) {
      const name = (number ?? sipUri ?? '').toLowerCase();
      if (seen.has(name))
        context.addIssue({ code: 'custom', path: ['customers', at], message: `${name} is there twice` });
      seen.add(name);
    }
  });
export type CampaignRequest = z.output<typeof campaignSchema>;

/** PATCH /campaign/{id}: `status` ends it. */
export const changeCampaignSchema = z.strictObject({
  ...FIELDS,
  name: shortName.optional(),
  status: z.literal('ended', { error: 'may only become ended' }).optional(),
  workflowId: notOffered(WORKFLOW),
  dialPlan: notOffered('a campaign calls from one number: make one campaign for each'),
});

/** The query of GET /campaign. */
export const campaignListSchema = listSchema.extend({
  id: z.uuid().optional(),
  status: z.enum(['scheduled', 'in-progress', 'ended']).optional(),
  page: z.coerce.number().int().min(1).max(100_000).default(1),
  sortOrder: z.enum(['ASC', 'DESC']).default('DESC'),
  sortBy: z.literal('createdAt', { error: 'must be createdAt' }).optional(),
});
export type CampaignListQuery = z.output<typeof campaignListSchema>;
