/** "Austin, TX 78701". */
const AMERICAN_TOWN =
  /\b(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY]),? \d{5}(?:-\d{4})?\b/;

/** "(512) 555-0142". */
const AMERICAN_PHONE = /(?<!\d)\(? ?[2-9]\d{2} ?\)?[ -]{0,3}[2-9]\d{2} ?- ?\d{4}(?!\d)/;

function isAmericanPlace(text: string): boolean {
  return AMERICAN_TOWN.test(text) || AMERICAN_PHONE.test(text);
}

/** Whether 03/04/2026 is the third of April. US order is used where the text shows it: a second number above 12, or dollars in English text without GB signs. */
export function isDayFirst(text: string, language: string | null): boolean {
  const dates = [...text.matchAll(/(?<![\d#/-])(\d{1,2})([/-])(\d{1,2})\2(?:\d{4}|\d{2})(?![\d/-]\d|\d)/g)];
  const firstAbove = dates.some(([, first]) => Number(first) > 12);
  const secondAbove = dates.some(([, , , second]) => Number(second) > 12);
  if (firstAbove !== secondAbove) return firstAbove;
  const american =
    (/(?<![A-Z])\$|\bUSA?\b|\b(?:Inc|LLC)\b/.test(text) || isAmericanPlace(text)) &&
    !/[£€₹]|\bGST\b|\bVAT\b/.test(text);
  return !((language === 'en' || (language === null && isAmericanPlace(text))) && american);
}
