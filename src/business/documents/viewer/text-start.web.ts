/** How many bytes of a text are shown. */
export const SHOWN_BYTES = 256 * 1024;

/** The start of a text file, and whether there is more of it. @throws Error if it cannot be fetched */
export async function readTextStart(address: string): Promise<{ text: string; more: boolean }> {
  const reply = await fetch(address, { headers: { range: `bytes=0-${SHOWN_BYTES}` } });
  if (!reply.ok) throw new Error('the text did not come');
  const bytes = new Uint8Array(await reply.arrayBuffer());
  return { text: decodeText(bytes.subarray(0, SHOWN_BYTES)), more: bytes.length > SHOWN_BYTES };
}

/** Decodes a text: UTF-16 by its byte order mark, else UTF-8, else Windows-1252, which can decode any bytes. */
export function decodeText(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    // A character that the limit cut in two does not mean another encoding.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
