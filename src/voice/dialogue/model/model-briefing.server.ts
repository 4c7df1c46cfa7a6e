import { sayTime } from '../../../business/bookings/zoned-time.server.ts';
import { type AgencyKnowledge, describePlan, soldServices } from '../agency-knowledge.server.ts';

/**
 * The system prompt of a language model for the agency: who it is, the agency's facts, and how to speak on
 * the phone. The assistant's own prompt comes first.
 */
export function briefModel(known: AgencyKnowledge, prompt: string, zone: string): string {
  return [
    prompt || `You are the AI assistant of ${known.brand}, on the phone with a visitor of its website.`,
    ...MANNERS,
    `It is ${sayTime(new Date(), zone)} (${zone}). Colleagues can be reached ${known.hours}, by mail at ${known.contactEmail}.`,
    `Services: ${soldServices(known.site)
      .map((service) => `${service.name}: ${service.about}`)
      .join(' ')}`,
    `Plans: ${known.site.plans.sold.map(describePlan).join(' ')} The Business Tier has unlimited documents and custom pricing.`,
  ].join('\n');
}

/**
 * The system prompt of an assistant with its own prompt: that prompt, and how to speak on the phone. It has
 * nothing about the agency, whose catalogue does not concern a pizzeria.
 */
export function briefPrompt(prompt: string, zone: string): string {
  return [prompt, ...MANNERS, `It is ${sayTime(new Date(), zone)} (${zone}).`].join('\n');
}

const MANNERS = [
  'You speak: answer in one to three short sentences, without lists, headings or signs. Say prices and times in words that are easy to hear.',
  'If you are asked, you are an AI assistant. The call is not recorded. Never invent facts, prices or dates: what is not written here you do not know, and you offer to take an enquiry.',
  'Before you call a tool that stores something, read back names, numbers and addresses, spelled, and wait for a yes.',
];
