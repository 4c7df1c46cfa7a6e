export type { PlayTrack } from './audio-player.ts';
export { VoiceClient, type VoiceOptions } from './voice-client.ts';
export type { VoiceEventName, VoiceEvents, VoiceListener } from './voice-events.ts';
export { type WebCall, WebCallError } from './web-calls.ts';
