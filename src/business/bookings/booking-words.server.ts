import type { Language } from '../../kernel/contract/languages.ts';

/** The words of the booking page and of a booking's own page. Functions get texts that are not escaped. */
export interface BookingWords {
  readonly htmlLang: string;
  readonly other: { readonly lang: Language; readonly name: string };
  readonly title: string;
  readonly lead: string;
  readonly minutes: (count: number) => string;
  readonly atYourNumber: string;
  readonly topics: string;
  readonly anyTopic: string;
  readonly zone: string;
  readonly zoneOf: (zone: string) => string;
  readonly changeZone: string;
  readonly showTimes: string;
  readonly chooseDay: string;
  readonly weekdays: readonly (readonly [string, string])[];
  readonly earlier: string;
  readonly later: string;
  readonly freeOn: (day: string, count: number) => string;
  readonly timesOn: (day: string) => string;
  readonly fullDay: (day: string) => string;
  readonly nextDay: (day: string) => string;
  readonly nothingFree: string;
  readonly write: string;
  readonly yourDetails: string;
  readonly anotherTime: string;
  readonly name: string;
  readonly email: string;
  readonly phone: string;
  readonly phoneHint: string;
  readonly howItGoes: (minutes: number) => string;
  readonly ask: string;
  readonly privacy: string;
  readonly wrong: {
    readonly name: string;
    readonly email: string;
    readonly phone: string;
    readonly many: string;
  };
  readonly taken: (when: string) => string;
  readonly nextFree: string;
  readonly sentTitle: string;
  readonly sentTo: (email: string) => string;
  readonly heldUntil: (clock: string) => string;
  readonly noMail: string;
  readonly startAgain: string;
  readonly lapsed: string;
  readonly proveTitle: string;
  readonly prove: string;
  readonly proved: string;
  readonly oldTitle: string;
  readonly old: string;
  readonly noService: string;
  readonly allServices: string;
  readonly tooMany: string;
  readonly own: {
    readonly missingTitle: string;
    readonly missing: string;
    readonly booked: string;
    readonly moved: string;
    readonly cancelled: string;
    readonly over: string;
    readonly nobodyCalls: string;
    readonly bookAnother: string;
    readonly callsYou: (ending: string, minutes: number) => string;
    readonly calendar: string;
    readonly move: string;
    readonly noOther: string;
    readonly cancel: string;
    readonly cancelMeans: string;
    readonly cancelButton: string;
    readonly fixed: string;
    readonly taken: string;
    readonly changed: string;
    readonly incomplete: string;
  };
}

const EN: BookingWords = {
  htmlLang: 'en-GB',
  other: { lang: 'de', name: 'Deutsch' },
  title: 'Book a call',
  lead: 'Choose a time, and a colleague calls you.',
  minutes: (count) => `${count} minutes`,
  atYourNumber: 'We call the number that you give',
  topics: 'What is it about?',
  anyTopic: 'Something else',
  zone: 'Time zone',
  zoneOf: (zone) => `Times in ${zone}`,
  changeZone: 'Change',
  showTimes: 'Show the times',
  chooseDay: 'Choose a day',
  weekdays: [
    ['Mon', 'Monday'],
    ['Tue', 'Tuesday'],
    ['Wed', 'Wednesday'],
    ['Thu', 'Thursday'],
    ['Fri', 'Friday'],
    ['Sat', 'Saturday'],
    ['Sun', 'Sunday'],
  ],
  earlier: 'Earlier month',
  later: 'Later month',
  freeOn: (day, count) => `${day}, ${count} ${count === 1 ? 'time' : 'times'} free`,
  timesOn: (day) => `Times on ${day}`,
  fullDay: (day) => `No time is free on ${day}.`,
  nextDay: (day) => `The next free day is ${day}`,
  nothingFree: 'No time is free in the next 30 days.',
  write: 'Please write to us:',
  yourDetails: 'Your details',
  anotherTime: 'Choose another time',
  name: 'Name',
  email: 'Email',
  phone: 'Telephone',
  phoneHint: 'A colleague calls this number.',
  howItGoes: (minutes) =>
    `We send you a mail with a link. Open it within ${minutes} minutes to book the call; the time is held for you meanwhile.`,
  ask: 'Send me the link',
  privacy: 'How we treat your data',
  wrong: {
    name: 'Please give your name, in 120 characters or fewer.',
    email: 'Please give a mail address such as name@example.com.',
    phone: 'Please give a telephone number with its area code, in digits.',
    many: 'Please correct the marked fields.',
  },
  taken: (when) => `${when} is no longer free.`,
  nextFree: 'The next free times:',
  sentTitle: 'Look in your mail',
  sentTo: (email) => `We have sent a link to ${email}. Open it, and the call is booked.`,
  heldUntil: (clock) => `The time is held for you until ${clock}.`,
  noMail: 'If no mail comes in a few minutes, look among the unwanted mails, or give another address.',
  startAgain: 'Give another address',
  lapsed:
    'The time is not held for you any more. The link in the mail still books it if nobody else has taken it.',
  proveTitle: 'Book this call?',
  prove: 'Book the call',
  proved: 'Your call is booked already.',
  oldTitle: 'This link is too old',
  old: 'The link is not complete, or more than a day old. Nothing is booked.',
  noService: 'No call can be booked about this.',
  allServices: 'Book a call about something else',
  tooMany: 'Too many calls were asked for with this address or from this network. Please try again later.',
  own: {
    missingTitle: 'There is no such booking',
    missing:
      'This link is not complete, or the booking was deleted. Please open the link from the message again, or write to',
    booked: 'Your call is booked',
    moved: 'Your call is moved',
    cancelled: 'Your call is cancelled',
    over: 'Your call is over',
    nobodyCalls: 'Nobody calls you then.',
    bookAnother: 'Book another time',
    callsYou: (ending, minutes) =>
      `A colleague calls you at the number that ends in ${ending}. It takes ${minutes} minutes.`,
    calendar: 'Add it to your calendar',
    move: 'Move it',
    noOther: 'There is no other free time in the next 30 days.',
    cancel: 'Cancel it',
    cancelMeans: 'Nobody calls you then, and the time is free for others.',
    cancelButton: 'Cancel the call',
    fixed: 'It cannot be changed here any more. Please write to',
    taken: 'That time is no longer free. Your call has not changed; please choose another time.',
    changed:
      'Nothing has changed: the call was changed in the meantime, or it can no longer be changed here.',
    incomplete: 'Nothing has changed: no time was chosen. Please choose one.',
  },
};

const DE: BookingWords = {
  htmlLang: 'de',
  other: { lang: 'en', name: 'English' },
  title: 'Gespräch buchen',
  lead: 'Wählen Sie eine Zeit; eine Kollegin oder ein Kollege ruft Sie an.',
  minutes: (count) => `${count} Minuten`,
  atYourNumber: 'Wir rufen die Nummer an, die Sie angeben',
  topics: 'Worum geht es?',
  anyTopic: 'Etwas anderes',
  zone: 'Zeitzone',
  zoneOf: (zone) => `Zeiten in ${zone}`,
  changeZone: 'Ändern',
  showTimes: 'Zeiten zeigen',
  chooseDay: 'Tag wählen',
  weekdays: [
    ['Mo', 'Montag'],
    ['Di', 'Dienstag'],
    ['Mi', 'Mittwoch'],
    ['Do', 'Donnerstag'],
    ['Fr', 'Freitag'],
    ['Sa', 'Samstag'],
    ['So', 'Sonntag'],
  ],
  earlier: 'Früherer Monat',
  later: 'Späterer Monat',
  freeOn: (day, count) => `${day}, ${count} ${count === 1 ? 'Zeit' : 'Zeiten'} frei`,
  timesOn: (day) => `Zeiten am ${day}`,
  fullDay: (day) => `Am ${day} ist keine Zeit frei.`,
  nextDay: (day) => `Der nächste freie Tag ist ${day}`,
  nothingFree: 'In den nächsten 30 Tagen ist keine Zeit frei.',
  write: 'Bitte schreiben Sie uns:',
  yourDetails: 'Ihre Angaben',
  anotherTime: 'Andere Zeit wählen',
  name: 'Name',
  email: 'E-Mail',
  phone: 'Telefon',
  phoneHint: 'Unter dieser Nummer rufen wir Sie an.',
  howItGoes: (minutes) =>
    `Wir senden Ihnen eine Mail mit einem Link. Öffnen Sie ihn innerhalb von ${minutes} Minuten, um das Gespräch zu buchen; so lange ist die Zeit für Sie reserviert.`,
  ask: 'Link senden',
  privacy: 'Wie wir mit Ihren Daten umgehen',
  wrong: {
    name: 'Bitte geben Sie Ihren Namen an, mit höchstens 120 Zeichen.',
    email: 'Bitte geben Sie eine Mailadresse wie name@example.com an.',
    phone: 'Bitte geben Sie eine Telefonnummer mit Vorwahl an, in Ziffern.',
    many: 'Bitte berichtigen Sie die markierten Felder.',
  },
  taken: (when) => `Diese Zeit ist nicht mehr frei: ${when}.`,
  nextFree: 'Die nächsten freien Zeiten:',
  sentTitle: 'Sehen Sie in Ihre Mails',
  sentTo: (email) =>
    `Wir haben einen Link an ${email} gesendet. Öffnen Sie ihn, dann ist das Gespräch gebucht.`,
  heldUntil: (clock) => `Die Zeit ist bis ${clock} für Sie reserviert.`,
  noMail:
    'Wenn in einigen Minuten keine Mail kommt, sehen Sie bei den unerwünschten Mails nach, oder geben Sie eine andere Adresse an.',
  startAgain: 'Andere Adresse angeben',
  lapsed:
    'Die Zeit ist nicht mehr für Sie reserviert. Der Link in der Mail bucht sie noch, wenn niemand anders sie genommen hat.',
  proveTitle: 'Dieses Gespräch buchen?',
  prove: 'Gespräch buchen',
  proved: 'Ihr Gespräch ist schon gebucht.',
  oldTitle: 'Dieser Link ist zu alt',
  old: 'Der Link ist nicht vollständig oder älter als ein Tag. Es ist nichts gebucht.',
  noService: 'Darüber kann man kein Gespräch buchen.',
  allServices: 'Gespräch über etwas anderes buchen',
  tooMany:
    'Mit dieser Adresse oder aus diesem Netz wurden zu viele Gespräche angefragt. Bitte versuchen Sie es später wieder.',
  own: {
    missingTitle: 'Diese Buchung gibt es nicht',
    missing:
      'Der Link ist nicht vollständig, oder die Buchung wurde gelöscht. Bitte öffnen Sie den Link aus der Nachricht noch einmal, oder schreiben Sie an',
    booked: 'Ihr Gespräch ist gebucht',
    moved: 'Ihr Gespräch ist verschoben',
    cancelled: 'Ihr Gespräch ist abgesagt',
    over: 'Ihr Gespräch ist vorbei',
    nobodyCalls: 'Zu dieser Zeit ruft Sie niemand an.',
    bookAnother: 'Andere Zeit buchen',
    callsYou: (ending, minutes) =>
      `Eine Kollegin oder ein Kollege ruft Sie unter der Nummer an, die auf ${ending} endet. Es dauert ${minutes} Minuten.`,
    calendar: 'In Ihren Kalender eintragen',
    move: 'Verschieben',
    noOther: 'In den nächsten 30 Tagen ist keine andere Zeit frei.',
    cancel: 'Absagen',
    cancelMeans: 'Dann ruft Sie niemand an, und die Zeit ist für andere frei.',
    cancelButton: 'Gespräch absagen',
    fixed: 'Hier lässt es sich nicht mehr ändern. Bitte schreiben Sie an',
    taken: 'Diese Zeit ist nicht mehr frei. Ihr Gespräch ist unverändert; bitte wählen Sie eine andere Zeit.',
    changed:
      'Nichts hat sich geändert: Das Gespräch wurde inzwischen geändert, oder es lässt sich hier nicht mehr ändern.',
    incomplete: 'Nichts hat sich geändert: Sie haben keine Zeit gewählt. Bitte wählen Sie eine.',
  },
};

/** The words in a language. */
export const bookingWords = (language: Language): BookingWords => (language === 'de' ? DE : EN);
