import { z } from 'zod';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { moment } from '../../../kernel/contract/times.ts';
import { weekHours } from '../../records/voice-fields.contract.ts';
import type { CampaignBody, CampaignCustomer } from '../../telephony/campaign-store.server.ts';
import { CAMPAIGN_LIMITS, type CampaignDraft } from './campaigns.contract.ts';

const ATTEMPTS = 1;
const MINUTES = 60;

/** The form of a campaign. */
export const CAMPAIGN_DRAFT = z.object({
  name: z.string().trim().min(1).max(CAMPAIGN_LIMITS.name),
  assistantId: z.uuid(),
  phoneNumberId: z.uuid().or(z.literal('')),
  open: weekHours.or(z.literal('')),
  earliestAt: moment.or(z.literal('')),
  attempts: z.int().min(1).max(5),
  minutesBetween: z.number().min(1).max(10_080),
});

/** The form of a stored campaign; null for one of a squad, which the platform's API changes. */
export function draftOf(body: CampaignBody): CampaignDraft | null {
  const { name, assistantId, phoneNumberId = '', hours, schedulePlan, retryPlan } = body;
  if (assistantId === undefined) return null;
  return {
    ...{ name, assistantId, phoneNumberId, open: hours?.open ?? '' },
    ...{ earliestAt: schedulePlan?.earliestAt ?? '', attempts: retryPlan?.attempts ?? ATTEMPTS },
    minutesBetween: retryPlan?.minutesBetween ?? MINUTES,
  };
}

/** A campaign's body with what the form has; its other fields stay. */
export function withDraft(present: Partial<CampaignBody>, draft: CampaignDraft): Record<string, unknown> {
  const { hours, schedulePlan, phoneNumberId: _number, retryPlan: _retries, ...rest } = present;
  const { name, assistantId, phoneNumberId, open, earliestAt, attempts, minutesBetween } = draft;
  return {
    ...{ ...rest, name, assistantId },
    ...(phoneNumberId !== '' && { phoneNumberId }),
    ...(open !== '' && { hours: { ...hours, open } }),
    ...(earliestAt !== '' && { schedulePlan: { ...schedulePlan, earliestAt } }),
    ...(attempts > ATTEMPTS && { retryPlan: { attempts, minutesBetween } }),
  };
}

/**
 * The people of a list with one on each line: a number in international form or a SIP address, then perhaps a
 * comma and a name.
 *
 * @throws ServiceError 400 `validation_failed` that names the line
 */
export function peopleIn(list: string): CampaignCustomer[] {
  const lines = list.split(/\r?\n/).map((line) => line.trim());
  return lines.flatMap((line, at): CampaignCustomer[] => {
    if (line === '') return [];
    const [address = '', ...names] = line.split(/[,;\t]/);
    const name = names.join(' ').trim().slice(0, CAMPAIGN_LIMITS.name);
    const number = address.replaceAll(/[\s().-]/g, '');
    const named = name === '' ? {} : { name };
    if (/^sips?:\S+$/.test(address.trim())) return [{ sipUri: address.trim(), ...named }];
    if (/^\+[1-9]\d{4,14}$/.test(number)) return [{ number, ...named }];
    throw new ServiceError(
      400,
      'validation_failed',
      `Line ${at + 1}: write a number as +442079460000, then perhaps a comma and a name.`,
    );
  });
}
