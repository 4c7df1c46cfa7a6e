import { isRecord, member } from '../rules/rule.ts';

/** The picture processors that act (docs/contracts/voice.md §2). */
const BACKGROUNDS = ['background-blur', 'background-image'] as const;

/** What the background of the camera's picture becomes. */
export interface BackgroundSetting {
  readonly type: (typeof BACKGROUNDS)[number];
  /** As the page gave it: `strength` above 0 and at most 1, or `source`, a picture. */
  readonly config: Readonly<Record<string, unknown>>;
}

/** What the worker draws behind the person: the blurred camera, one of the ten drawn pictures, or a given one. */
export type Backdrop =
  | { readonly strength: number }
  | { readonly drawn: number }
  | { readonly picture: ImageBitmap };

/** How strong a blur is for which the page names no strength. */
const USUAL_STRENGTH = 0.5;

/** The background that input settings ask for; undefined if they ask for another processor, or for none. */
export function backgroundSetting(settings: unknown): BackgroundSetting | undefined {
  const processor = member(member(settings, 'video'), 'processor');
  const type = BACKGROUNDS.find((one) => one === member(processor, 'type'));
  if (type === undefined) return undefined;
  const config = member(processor, 'config');
  return { type, config: isRecord(config) ? config : {} };
}

/**
 * Loads what a setting needs.
 *
 * @throws Error for a picture that cannot be loaded or is not a picture
 */
export async function backdropOf({ type, config }: BackgroundSetting): Promise<Backdrop> {
  const { strength = USUAL_STRENGTH, source } = config;
  if (type === 'background-blur') return { strength: Number(strength) };
  if (source === undefined || source === 'default') return { drawn: 1 };
  if (Number.isInteger(Number(source)) && !(source instanceof ArrayBuffer)) return { drawn: Number(source) };
  try {
    return { picture: await createImageBitmap(await pictureBytes(source)) };
  } catch (error) {
    throw new Error(`The picture for the background cannot be loaded: ${error}`);
  }
}

async function pictureBytes(source: unknown): Promise<Blob> {
  if (source instanceof ArrayBuffer) return new Blob([source]);
  // Decoded here, because a page's policy may forbid fetching such an address.
  const encoded = /^data:[^,]*;base64,(.*)$/s.exec(String(source))?.[1];
  if (encoded !== undefined) return new Blob([Uint8Array.from(atob(encoded), (one) => one.charCodeAt(0))]);
  const reply = await fetch(String(source));
  if (!reply.ok) throw new Error(`status ${reply.status}`);
  return await reply.blob();
}
