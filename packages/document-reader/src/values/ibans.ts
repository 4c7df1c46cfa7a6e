const IBAN = /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b/g;

/** IBANs with valid check digits (ISO 13616), as printed and compact. */
export function findIbans(text: string): { printed: string; compact: string }[] {
  const found: { printed: string; compact: string }[] = [];
  for (const [printed] of text.matchAll(IBAN)) {
    // The pattern may include words that follow: the longest beginning with valid check digits is the number.
    for (let end = printed.length; end >= 15; end -= 1) {
      const part = printed.slice(0, end).trimEnd();
      const compact = part.replace(/ /g, '');
      if (compact.length >= 15 && compact.length <= 34 && checksOut(compact)) {
        found.push({ printed: part, compact });
        break;
      }
    }
  }
  return found;
}

function checksOut(iban: string): boolean {
  const digits = (iban.slice(4) + iban.slice(0, 4)).replace(/[A-Z]/g, (letter) =>
    String(letter.charCodeAt(0) - 55),
  );
  let rest = 0;
  for (const digit of digits) rest = (rest * 10 + Number(digit)) % 97;
  return rest === 1;
}
