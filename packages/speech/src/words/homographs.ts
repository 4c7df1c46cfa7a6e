/** The words around a homograph, in small letters, nearest first, up to the next mark. */
export interface Neighbours {
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** The word as it is written. */
  readonly written: string;
  /** Whether the word begins its sentence. */
  readonly first: boolean;
}

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));
/** Before a verb. */
const VERB_BEFORE = words(
  "to will would can could shall should may might must do does did don't doesn't didn't not cannot can't won't wouldn't couldn't shouldn't please i you we they who let's let i'll you'll we'll they'll i'd you'd we'd they'd never always often usually also just",
);
/** Before a noun or an adjective. */
const NOUN_BEFORE = words(
  'a an the this that these those my your our their his her its no any some each every another one of in for with on by from at as per new old first second next last free good great big small whole main other more most single separate very so too quite',
);
const HAVE_OR_BE = words(
  "have has had having haven't hasn't hadn't i've you've we've they've i'd he'd she'd was were been be being is are wasn't weren't isn't aren't get got well it's",
);
const AUXILIARY = words(
  "did didn't does doesn't do don't will would could can should to must may might shall won't let",
);
const PAST = words('yesterday ago earlier already last before previously once');
const HE = words('he she it who');
const BE = words(
  "is are was were be been being am isn't aren't wasn't weren't it's that's we're they're you're i'm stay stays keep so very too quite as how get gets got getting come comes came pretty",
);
const GO_LIVE = words(
  'a the this our your go goes going went gone is are was were be via no with some any my stream streams streamed broadcast',
);
const LIVE_THING = words(
  'music show shows chat band bands stream streams event events call calls person agent agents performance concert demo broadcast data update updates sport sports tv audience wire animal animals stock lobster session sessions support help captions translation now on from today tonight version site',
);
const LEAD_METAL = words('pipe pipes paint poisoning roof acid free weight weights bullet pencil lined');
const CLOSE_AFTER = words('to by friend friends enough relationship call look together behind up family at');

type Choice = (around: Neighbours) => boolean;

/** A verb after its subject, an auxiliary or `to`, or as an order; a noun otherwise. */
const isVerb: Choice = ({ before: [last = ''], after: [next = ''], first }) =>
  VERB_BEFORE.has(last) ||
  (first && /^(?:the|a|an|my|your|our|his|her|their|it|them|this|that|all|any|us|me)$/.test(next)) ||
  ((last === 'and' || last === 'or') && /^(?:the|a|your|my|our|it|them)$/.test(next));

const isRead: Choice = ({ before, after }) => {
  const [last = '', second = ''] = before;
  if (AUXILIARY.has(last) || AUXILIARY.has(second)) return false;
  if (HAVE_OR_BE.has(last) || (HAVE_OR_BE.has(second) && !/^(?:to|a|the)$/.test(last))) return true;
  return HE.has(last) || after.some((word) => PAST.has(word));
};
const isLiveShow: Choice = ({ before: [last = ''], after: [next = ''] }) =>
  GO_LIVE.has(last) || (LIVE_THING.has(next) && !VERB_BEFORE.has(last) && last !== 'who');
const isMetal: Choice = ({ before: [last = '', second = ''], after: [next = ''] }) =>
  LEAD_METAL.has(next) || (last === 'of' && /^(?:made|piece|sheet|out|tons|kilos)$/.test(second));
const isCloseVerb: Choice = (around) => {
  const [last = ''] = around.before;
  const [next = ''] = around.after;
  if (/^(?:of)$/.test(next)) return true;
  if (BE.has(last)) return false;
  if (CLOSE_AFTER.has(next) && next !== 'at') return last === 'to' && next !== 'to';
  return last !== 'a' && last !== 'the'
    ? VERB_BEFORE.has(last) || around.first || !NOUN_BEFORE.has(last)
    : false;
};
const isWindVerb: Choice = (around) =>
  isVerb(around) && /^(?:up|down|the|it|back|through|round|around)$/.test(around.after[0] ?? '');
const isPlace: Choice = ({ written, first, before: [last = ''] }) =>
  /^[A-Z]/.test(written) && (!first || /^(?:in|to|from|near|at)$/.test(last));
const isTearVerb: Choice = (around) =>
  isVerb(around) ||
  /^(?:up|down|off|apart|out|it)$/.test(around.after[0] ?? '') ||
  /^(?:wear|a)$/.test(around.before[0] ?? '') ||
  around.before[1] === 'wear';
const isSmall: Choice = ({ before: [last = ''], after: [next = ''] }) =>
  !/^(?:a|the|this|one|per|every|each|last|any|wait|next|first|by)$/.test(last) &&
  /^(?:detail|details|amount|amounts|differences?|traces?|changes?)$/.test(next);
const isUsedTo: Choice = ({ after: [next = ''] }) => next === 'to';

/**
 * Words that are said in two ways: when the second way is meant, and its phonemes. The other way, where the
 * lexicon does not have it.
 */
const HOMOGRAPHS: Readonly<Record<string, readonly [Choice, string, string?]>> = {
  read: [isRead, 'ɹˈɛd', 'ɹˈiːd'],
  reading: [isPlace, 'ɹˈɛdɪŋ', 'ɹˈiːdɪŋ'],
  live: [isLiveShow, 'lˈIv', 'lˈɪv'],
  lives: [
    ({ before: [last = ''] }) => /^(?:our|their|your|my|people's|of|the|save|saves|saved)$/.test(last),
    'lˈIvz',
    'lˈɪvz',
  ],
  lead: [isMetal, 'lˈɛd', 'lˈiːd'],
  close: [isCloseVerb, 'klˈQz', 'klˈQs'],
  closer: [({ before: [last = ''] }) => last === 'a', 'klˈQzə', 'klˈQsə'],
  use: [isVerb, 'jˈuːz', 'jˈuːs'],
  used: [isUsedTo, 'jˈuːst', 'jˈuːzd'],
  house: [({ before: [last = ''] }) => /^(?:to|will|can|could|that)$/.test(last), 'hˈWz', 'hˈWs'],
  excuse: [isVerb, 'ɪkskjˈuːz', 'ɪkskjˈuːs'],
  abuse: [isVerb, 'əbjˈuːz', 'əbjˈuːs'],
  record: [isVerb, 'ɹɪkˈɔːd', 'ɹˈɛkɔːd'],
  wind: [isWindVerb, 'wˈInd', 'wˈɪnd'],
  wound: [({ after: [next = ''] }) => /^(?:up|down|round|around|back)$/.test(next), 'wˈWnd', 'wˈuːnd'],
  tear: [isTearVerb, 'tˈɛː', 'tˈɪə'],
  minute: [isSmall, 'mInjˈuːt', 'mˈɪnɪt'],
  bow: [isVerb, 'bˈW', 'bˈQ'],
  row: [
    ({ before: [last = '', second = ''] }) => /^(?:had|having|have)$/.test(second) && last === 'a',
    'ɹˈW',
    'ɹˈQ',
  ],
  bass: [({ after: [next = ''] }) => /^(?:fishing|fillet|fillets)$/.test(next), 'bˈas', 'bˈAs'],
  object: [isVerb, 'əbʤˈɛkt', 'ˈɒbʤɛkt'],
  present: [isVerb, 'pɹɪzˈɛnt', 'pɹˈɛzᵊnt'],
  content: [({ before }) => BE.has(before[0] ?? ''), 'kəntˈɛnt', 'kˈɒntɛnt'],
  desert: [isVerb, 'dɪzˈɜːt', 'dˈɛzət'],
  refuse: [
    ({ before: [last = ''], after: [next = ''] }) =>
      NOUN_BEFORE.has(last) || /^(?:collection|bin|bins|bag|bags|lorry)$/.test(next),
    'ɹˈɛfjuːs',
    'ɹɪfjˈuːz',
  ],
  produce: [
    ({ before: [last = ''] }) => /^(?:fresh|local|our|the|farm|dairy|organic)$/.test(last),
    'pɹˈɒdjuːs',
    'pɹədjˈuːs',
  ],
  project: [isVerb, 'pɹəʤˈɛkt', 'pɹˈɒʤɛkt'],
  permit: [isVerb, 'pəmˈɪt', 'pˈɜːmɪt'],
  contract: [({ before: [last = ''] }) => /^(?:to|will|can|muscles)$/.test(last), 'kəntɹˈakt', 'kˈɒntɹakt'],
  conduct: [isVerb, 'kəndˈʌkt', 'kˈɒndʌkt'],
  contest: [isVerb, 'kəntˈɛst', 'kˈɒntɛst'],
  export: [isVerb, 'ɪkspˈɔːt', 'ˈɛkspɔːt'],
  import: [isVerb, 'ɪmpˈɔːt', 'ˈɪmpɔːt'],
  increase: [isVerb, 'ɪnkɹˈiːs', 'ˈɪnkɹiːs'],
  decrease: [isVerb, 'dɪkɹˈiːs', 'dˈiːkɹiːs'],
  insult: [isVerb, 'ɪnsˈʌlt', 'ˈɪnsʌlt'],
  invalid: [({ before: [last = ''], after }) => last === 'an' && after.length === 0, 'ˈɪnvəlɪd', 'ɪnvˈalɪd'],
  perfect: [isVerb, 'pəfˈɛkt', 'pˈɜːfɪkt'],
  subject: [({ before: [last = ''] }) => /^(?:to|will|would)$/.test(last), 'səbʤˈɛkt', 'sˈʌbʤɛkt'],
  suspect: [({ before: [last = ''] }) => NOUN_BEFORE.has(last), 'sˈʌspɛkt', 'səspˈɛkt'],
  transfer: [isVerb, 'tɹansfˈɜː', 'tɹˈansfɜː'],
  transport: [isVerb, 'tɹanspˈɔːt', 'tɹˈanspɔːt'],
  separate: [isVerb, 'sˈɛpəɹAt', 'sˈɛpɹət'],
  deliberate: [isVerb, 'dɪlˈɪbəɹAt', 'dɪlˈɪbəɹət'],
  moderate: [isVerb, 'mˈɒdəɹAt', 'mˈɒdəɹət'],
  estimate: [isVerb, 'ˈɛstɪmAt', 'ˈɛstɪmət'],
  graduate: [isVerb, 'ɡɹˈaʤuAt', 'ɡɹˈaʤuət'],
  duplicate: [isVerb, 'djˈuːplɪkAt', 'djˈuːplɪkət'],
  alternate: [isVerb, 'ˈɔːltənAt', 'ɔːltˈɜːnət'],
  appropriate: [isVerb, 'əpɹˈQpɹiAt', 'əpɹˈQpɹɪət'],
  associate: [isVerb, 'əsˈQʃiAt', 'əsˈQʃɪət'],
  advocate: [isVerb, 'ˈadvəkAt', 'ˈadvəkət'],
  intimate: [isVerb, 'ˈɪntɪmAt', 'ˈɪntɪmət'],
  refund: [isVerb, 'ɹɪfˈʌnd', 'ɹˈiːfʌnd'],
  reject: [({ before: [last = ''] }) => last === 'a', 'ɹˈiːʤɛkt', 'ɹɪʤˈɛkt'],
  survey: [isVerb, 'səvˈA', 'sˈɜːvA'],
  progress: [isVerb, 'pɹəɡɹˈɛs', 'pɹˈQɡɹɛs'],
  protest: [isVerb, 'pɹətˈɛst', 'pɹˈQtɛst'],
  conflict: [isVerb, 'kənflˈɪkt', 'kˈɒnflɪkt'],
  convert: [({ before: [last = ''] }) => last === 'a', 'kˈɒnvɜːt', 'kənvˈɜːt'],
  digest: [isVerb, 'dIʤˈɛst', 'dˈIʤɛst'],
  escort: [isVerb, 'ɪskˈɔːt', 'ˈɛskɔːt'],
  extract: [isVerb, 'ɪkstɹˈakt', 'ˈɛkstɹakt'],
  attribute: [isVerb, 'ətɹˈɪbjuːt', 'ˈatɹɪbjuːt'],
  upset: [({ before: [last = ''] }) => /^(?:an|big)$/.test(last), 'ˈʌpsɛt', 'ʌpsˈɛt'],
  discount: [isVerb, 'dɪskˈWnt', 'dˈɪskWnt'],
  resume: [({ before: [last = ''] }) => /^(?:a|my|your|his|her|their)$/.test(last), 'ɹˈɛzjuːmA', 'ɹɪzjˈuːm'],
  polish: [isPlace, 'pˈQlɪʃ', 'pˈɒlɪʃ'],
  nice: [
    ({ written, before: [last = ''] }) => written === 'Nice' && /^(?:in|to|from|near)$/.test(last),
    'nˈiːs',
    'nˈIs',
  ],
  dove: [({ before: [last = ''] }) => HE.has(last), 'dˈQv', 'dˈʌv'],
};

/** The phonemes of a word that is said in two ways; undefined for every other word. */
export function homographPhonemes(word: string, around: Neighbours): string | undefined {
  const known = Object.hasOwn(HOMOGRAPHS, word) ? HOMOGRAPHS[word] : undefined;
  if (known === undefined) return undefined;
  const [isSecond, second, first] = known;
  return isSecond(around) ? second : first;
}
