/** `attachment` with a file name in both forms of RFC 6266: plain ASCII for old clients, UTF-8 for others. */
export function attachment(fileName: string): string {
  const label = fileName.toWellFormed().replace(/[\p{Cc}\p{Cf}\\/]/gu, '_');
  const plain = label.replace(/[^\x20-\x7e]/g, '_').replace(/["%]/g, '_');
  const encoded = encodeURIComponent(label).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/**
 * The name in the query `download=`. The client encodes a whole signed address once more, so in signed
 * addresses the name arrives encoded twice (storage-js 2.119, `createSignedUrl`).
 */
export function downloadName(value: unknown, fallback: string, encodedTwice: boolean): string {
  if (typeof value !== 'string' || value === '') return fallback;
  if (!encodedTwice) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
