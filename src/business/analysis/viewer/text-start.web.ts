/** Bytes of a text that are shown. */
export const SHOWN_BYTES = 256 * 1024;

/** The start of a text file, and whether there is more of it. @throws Error when it cannot be fetched */
export async function readTextStart(address: string): Promise<{ text: string; more: boolean }> {
  const reply = await fetch(address, { headers: { range: `bytes=0-${SHOWN_BYTES}` } });
  if (!reply.ok) throw new Error('the text did not come');
  const bytes = new Uint8Array(await reply.arrayBuffer());
  return { text: decodeText(bytes.subarray(0, SHOWN_BYTES)), more: bytes.length > SHOWN_BYTES };
}

/** Text as its mark or its bytes say: UTF-16 by its mark, else UTF-8, else Windows-1252, which reads everything. */
export function decodeText(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    // A letter that the limit has cut in two is no sign of another encoding.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
