import path from 'node:path';
import { listVoices, type VoiceManifest } from '@northline/speech/voice-folder';
import { PROJECT_ROOT } from './project-root.ts';

/** The voice that speaks where an assistant names no other. */
export const USUAL_VOICE = 'emma';
/**
 * Names of voices of earlier versions. An assistant that names one gets the usual voice; the name never means a
 * provider's voice.
 */
export const FORMER_VOICES: readonly string[] = ['slt', 'rms', 'kal16', 'awb'];

/** The folder of an agency's own voices, below the data folder. */
export const OWN_VOICES = 'voices';

const OURS = path.join(PROJECT_ROOT, 'packages', 'speech', 'voices');

/** The folder of the usual voice. */
export const USUAL_VOICE_FOLDER: string = path.join(OURS, USUAL_VOICE);

/**
 * The voices on this server: those of the product, and the agency's own below `voices` in the data folder.
 *
 * @param dataDir undefined for the product's voices alone
 */
export function embeddedVoices(
  dataDir?: string,
): { readonly folder: string; readonly manifest: VoiceManifest }[] {
  return listVoices([OURS, ...(dataDir === undefined ? [] : [path.join(dataDir, OWN_VOICES)])]);
}
