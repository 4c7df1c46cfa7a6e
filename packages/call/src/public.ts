export { CallClient, COMPATIBLE_VERSION } from './call-client.ts';
export type {
  CallEvent,
  CallEventName,
  CallEvents,
  CameraErrorType,
  FatalErrorType,
  NonfatalErrorType,
} from './call-events.ts';
export type { CallProperties } from './call-properties.ts';
export { NotSupportedError } from './not-supported.ts';
export type { MeetingState } from './states.ts';
export type { CallTransport, Command, Notice, OpenTransport, Participant } from './transport.ts';
export { LevelMeter } from './web-rtc/level-meter.ts';
export { type WebRtcOptions, webRtcTransport } from './web-rtc/web-rtc-transport.ts';
