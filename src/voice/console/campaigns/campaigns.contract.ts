/** Most people of one campaign, and the longest list of them, characters. */
export const CAMPAIGN_LIMITS = { people: 5000, list: 400_000, name: 40 } as const;

export type CampaignStatus = 'scheduled' | 'in-progress' | 'ended';

/** A campaign in the list, with how many people are in each state. */
export interface ConsoleCampaign {
  readonly id: string;
  readonly name: string;
  readonly status: CampaignStatus;
  readonly ended_reason: string | null;
  readonly created_at: string;
  readonly customers: number;
  readonly waiting: number;
  readonly calling: number;
  readonly done: number;
  readonly not_called: number;
}

/** `GET operator-campaigns`. */
export interface CampaignsPage {
  readonly rows: readonly ConsoleCampaign[];
  readonly next: string | null;
}

/** A campaign as the form has it. */
export interface CampaignDraft {
  readonly name: string;
  readonly assistantId: string;
  /** Empty for people with SIP addresses, who are called directly. */
  readonly phoneNumberId: string;
  /** Hours such as `mon-fri 9:00-17:00`; empty for any hour. */
  readonly open: string;
  /** The first moment of a call, UTC; empty for at once. */
  readonly earliestAt: string;
  /** How often somebody who was not reached is called, and minutes between. */
  readonly attempts: number;
  readonly minutesBetween: number;
}

interface Choice {
  readonly id: string;
  readonly name: string;
}

/** One person of a campaign. */
export interface CampaignPerson {
  readonly position: number;
  readonly address: string;
  readonly name: string | null;
  readonly state: 'waiting' | 'calling' | 'done' | 'refused' | 'stopped';
  readonly attempts: number;
  readonly outcome: string | null;
  readonly call_id: string | null;
}

/** `GET operator-campaign`; without an id the choices for a new one. */
export interface CampaignDetail {
  readonly campaign: ConsoleCampaign | null;
  readonly draft: CampaignDraft | null;
  /** The first hundred, those who are being called before the others. */
  readonly people: readonly CampaignPerson[];
  readonly assistants: readonly Choice[];
  readonly numbers: readonly Choice[];
}
