import { z } from 'zod';

/** Somebody in a recording of a meeting; times are seconds of the recording. */
export interface RecordedPerson {
  /** The number of this person's tracks in the recording, from 1 on. */
  readonly number: number;
  readonly session_id: string;
  readonly user_id: string;
  readonly user_name: string;
  readonly from: number;
  /** Null while they are recorded, and where the process was killed. */
  readonly to: number | null;
  /** Set for the assistant: it is heard, and has no picture. */
  readonly voice_only?: boolean | undefined;
}

/** What a recording shows from a moment on; `at` in seconds of the recording. */
export interface Scene {
  readonly at: number;
  /** Everybody in tiles, one person, or the person who is speaking. */
  readonly layout: 'grid' | 'single' | 'active';
  /** Most tiles of the grid. */
  readonly most?: number | undefined;
  /** The person whose picture fills it, by the number of their tracks; undefined for nobody. */
  readonly shown?: number | undefined;
}

/**
 * What is stored of a recorded meeting besides its sound and pictures; parts that the API shows have the
 * API's names.
 */
export interface MeetingRecord {
  readonly room_id: string;
  readonly room_name: string;
  readonly started_by: string;
  /** Whether cameras are recorded. */
  readonly video: boolean;
  readonly participants: readonly RecordedPerson[];
  readonly scenes: readonly Scene[];
}

/** The layouts of the call library that are built here (docs/contracts/voice.md §8). */
export const recordingLayoutSchema = z.discriminatedUnion('preset', [
  z.strictObject({
    preset: z.literal('default'),
    max_cam_streams: z.number().int().min(1).max(20).optional(),
  }),
  z.strictObject({ preset: z.literal('single-participant'), session_id: z.string().min(1).max(64) }),
  z.strictObject({ preset: z.literal('active-participant') }),
  z.strictObject({ preset: z.literal('audio-only') }),
]);
export type RecordingLayout = z.output<typeof recordingLayoutSchema>;
