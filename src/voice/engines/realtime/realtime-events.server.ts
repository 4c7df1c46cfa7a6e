import { z } from 'zod';

const id = z.string().min(1).max(200);
const ofItem = { response_id: id, item_id: id };
const item = z.object({
  id,
  type: z.string(),
  name: z.string().optional(),
  call_id: id.optional(),
  arguments: z.string().optional(),
});
const usage = z.object({ input_tokens: z.number().min(0), output_tokens: z.number().min(0) });
const metadata = z.record(z.string(), z.unknown()).nullish();

/**
 * The events of the provider's Realtime API that are used here, with those of its first version that mean the
 * same.
 */
const serverEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('input_audio_buffer.committed'), item_id: id }),
  z.object({
    type: z.literal('conversation.item.input_audio_transcription.completed'),
    item_id: id,
    transcript: z.string(),
  }),
  z.object({ type: z.literal('conversation.item.input_audio_transcription.failed'), item_id: id }),
  z.object({ type: z.literal('response.created'), response: z.object({ id, metadata }) }),
  z.object({
    type: z.literal(['response.output_item.added', 'response.output_item.done']),
    response_id: id,
    item,
  }),
  z.object({
    type: z.literal(['response.output_audio.delta', 'response.audio.delta']),
    ...ofItem,
    delta: z.string(),
  }),
  z.object({ type: z.literal(['response.output_audio.done', 'response.audio.done']), ...ofItem }),
  z.object({
    type: z.literal([
      'response.output_audio_transcript.delta',
      'response.audio_transcript.delta',
      'response.output_text.delta',
      'response.text.delta',
    ]),
    ...ofItem,
    delta: z.string(),
  }),
  z.object({
    type: z.literal([
      'response.output_audio_transcript.done',
      'response.audio_transcript.done',
      'response.output_text.done',
      'response.text.done',
    ]),
    ...ofItem,
  }),
  z.object({
    type: z.literal('response.function_call_arguments.done'),
    ...ofItem,
    call_id: id,
    name: z.string().optional(),
    arguments: z.string(),
  }),
  z.object({
    type: z.literal('response.done'),
    response: z.object({
      ...{ id, status: z.string().optional(), metadata, usage: usage.nullish() },
      status_details: z.object({ reason: z.string().nullish() }).nullish(),
    }),
  }),
  z.object({
    type: z.literal('error'),
    error: z.object({
      type: z.string().nullish(),
      code: z.string().nullish(),
      event_id: z.string().nullish(),
    }),
  }),
]);

/** An event of the provider. */
export type RealtimeEvent = z.output<typeof serverEvent>;
/** An event that belongs to an answer in progress. */
export type AnswerEvent = Extract<RealtimeEvent, { readonly response_id: string }>;

/** Reads an event; undefined for an event that is unknown, not used here, or malformed. */
export function readRealtimeEvent(text: string): RealtimeEvent | undefined {
  try {
    return serverEvent.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
