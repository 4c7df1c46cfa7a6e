import { z } from 'zod';

/** Somebody in a recording of a meeting; times are seconds of the recording. */
export interface RecordedPerson {
  /** Which of the recording's tracks are theirs, from 1 on. */
  readonly number: number;
  readonly session_id: string;
  readonly user_id: string;
  readonly user_name: string;
  readonly from: number;
  /** Null while they are recorded, and where the process was killed. */
  readonly to: number | null;
  /** Of the assistant: it is heard, and has no picture. */
  readonly voice_only?: boolean | undefined;
}

/** What a recording shows from a moment on; `at` in seconds of the recording. */
export interface Scene {
  readonly at: number;
  /** All in tiles, one person, or the one who speaks. */
  readonly layout: 'grid' | 'single' | 'active';
  /** Tiles that the grid has at most. */
  readonly most?: number | undefined;
  /** Whose picture fills it, by the number of their tracks; undefined for nobody. */
  readonly shown?: number | undefined;
}

/** What is kept of a recorded meeting beside its sound and pictures; the names of the wire where it shows them. */
export interface MeetingRecord {
  readonly room_id: string;
  readonly room_name: string;
  readonly started_by: string;
  /** Whether cameras belong to it. */
  readonly video: boolean;
  readonly participants: readonly RecordedPerson[];
  readonly scenes: readonly Scene[];
}

/** Layouts of a recording that are built, of the call library's (docs/contracts/voice.md §8). */
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
