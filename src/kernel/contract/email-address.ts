/** Longest mail address, in characters (RFC 5321: 254 octets between the angle brackets). */
const MOST_CHARACTERS = 254;

/** Whether a text is one mail address, by the rule that the server applies too. */
export function isEmail(text: string): boolean {
  return (
    text.length <= MOST_CHARACTERS &&
    /^[^\s@<>"(),:;\\[\]\p{Cc}]{1,64}@([a-z0-9-]+\.)+[a-z0-9-]{2,}$/iu.test(text)
  );
}

/** A mail address in the one spelling under which accounts are stored: trimmed, NFC, lower case. */
export function foldedEmail(text: string): string {
  return text.trim().normalize('NFC').toLowerCase();
}
