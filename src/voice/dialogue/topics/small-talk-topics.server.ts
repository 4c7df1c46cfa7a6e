import { listTogether, soldServices } from '../agency-knowledge.server.ts';
import { OFFER } from './refusal-topics.server.ts';
import type { Topic } from './topic-answer.server.ts';

/** Small talk, and questions about the assistant itself and its call. */
/** What is kept of a caller and of the call. */
const OF_CALLER =
  /\b(about (me|us)|(my|our|personal) (data|details|information|words|number|name|voice)|data|(the|this|our) (call|conversation|chat)|(i|we) (say|said|tell|told)|(of|on|from) me)\b/;

export const SMALL_TALK_TOPICS: readonly Topic[] = [
  {
    id: 'forget',
    cues: [
      [/\b(delete|erase|remove|forget|wipe)\b/, 3],
      [
        /\b((this|our|the) (call|conversation|chat)|my (data|words|details)|everything|(what|all|that|anything) (that )?(i|we|i have|we have) (just )?(said|told you)|me|about me)\b/,
        3,
      ],
    ],
    answer: (words) =>
      /\b(delete|erase|remove|forget|wipe)\b/.test(words) &&
      !/\b(my|a|the|an) (files?|documents?|accounts?)\b/.test(words)
        ? ''
        : null,
    action: 'forget',
  },
  {
    id: 'what-is-kept',
    cues: [
      [/\bwhat\b.*\b(store|save|keep|know|stored|saved|kept|collect|(?<!get (a )?)hold|remember)\b/, 4],
      [/\b(about me|my data|my (personal )?(information|details)|from this call|of this call)\b/, 3],
    ],
    // `What am I not allowed to store?` asks a business about something else.
    answer: (words) =>
      /\b(store|save|keep|know|stored|saved|kept|collect|hold|remember|do with)\b/.test(words) &&
      OF_CALLER.test(words)
        ? 'The call is not recorded. Its words are kept so that you can read them, and you can delete them when the call ends, or by saying: delete this conversation.'
        : null,
  },
  {
    id: 'recorded',
    cues: [
      [/\b(record|records|recorded|recording|recordings|taped|taping|listening in|monitored)\b/, 6],
      [
        /\b(store|keep|save|saving|storing)\b.*\b(conversation|this call|what i (say|said)|my words|my voice)\b/,
        6,
      ],
    ],
    answer: () =>
      'No, this call is not recorded. Only its words are written down, and you can delete them when it ends.',
  },
  {
    id: 'machine',
    cues: [
      [/\b(are you|is this|is that|am i (talking|speaking)|is (there|it)|you are|do i (talk|speak))\b/, 2],
      [/\b(robot|machine|computer|real|human|ai|artificial|a person|automated|alive|bot|living)\b/, 3],
      [/\b(talk|talking|speak|speaking) (to|with) (a |an )?(machine|robot|computer|bot|ai)\b/, 4],
    ],
    answer: (words, known) =>
      /\b(are you|is this|is that|am i|is there|is it|you are|do i)\b|\b(talking|speaking) (to|with) (a |an )?(machine|robot|computer|bot|ai)\b/.test(
        words,
      )
        ? `I am an AI assistant of ${known.brand}. If you would rather talk to a person, just say so.`
        : null,
  },
  {
    id: 'who',
    cues: [
      [
        /\b(who are you|who is (this|that|speaking)|what are you$|your name|am i (talking|speaking) (to|with)|have i reached|did i reach|who do i|what are you called|what (do|can|should) i call you)\b/,
        5,
      ],
      [/\bwho(m)? am i\b/, 2],
    ],
    answer: (_, known) => `I am the AI assistant of ${known.brand}.`,
  },
  {
    id: 'company',
    cues: [
      [
        /\b(about|is|who (runs|owns|founded|started)) (your|this|the) (company|business|agency|firm)\b(?! (tier|plan))/,
        4,
      ],
      [/\b(what|who) (is|are) your agency\b|\babout (your agency|yourselves|you guys)\b/, 4],
    ],
    answer: (_, known) =>
      `${known.brand} offers ${listTogether(soldServices(known.site).map(({ name }) => name))}.`,
  },
  {
    id: 'ability',
    cues: [
      [
        /\b(what can (you|i) (do|ask)|what (are|were) you able|what else (can|do) you|how (can|could|do|would) you help|can you help|could you help|help me|what do you know|what are my options)\b/,
        3,
      ],
      [/\b(for me|with)\b/, 1],
    ],
    answer: () => OFFER,
  },
  {
    id: 'goodbye',
    cues: [
      [
        /\b(goodbye|good bye|bye|bye bye|hang up|end (the|this) call|talk to you later|speak to you later|see you|have to go|got to go|gotta go|must go|take care|cheerio)\b/,
        6,
      ],
      [/\bhave a (nice|good|great|lovely) (day|one|evening|afternoon|weekend)\b/, 6],
      [/\bgood night\b/, 4],
    ],
    answer: () => '',
    action: 'hang-up',
  },
  {
    id: 'that-is-all',
    cues: [
      [
        /\b(that is (all|everything|it)|that was (all|everything|it)|that will be (all|everything)|that will do|nothing else|no more|nothing more|everything (for today|i needed|i wanted)|all i (needed|wanted)|i am (done|finished|all set)|we are done|no further questions|no other questions)\b/,
        5,
      ],
    ],
    answer: (words) => (/\bno more (documents|credits)\b/.test(words) ? null : ''),
    action: 'hang-up',
  },
  {
    id: 'repeat',
    cues: [
      [
        /\b(repeat|(say|tell me) (that|it|this)( to me)?( all)? (again|once more|one more time|another time)|once more|once again|one more time|again please|pardon|beg your pardon|what did you say|what was that|(did|do|could|can) not (quite |really )?(catch|hear|understand|get)|missed that|come again|run that by me)\b/,
        5,
      ],
      [/\b(slower|slowly|slow down|louder|speak up|not so fast|too (fast|quick|quickly|quiet|quietly))\b/, 5],
      [/^(sorry|excuse me|what|what was that|sorry what was that|again|huh|eh)$/, 4],
    ],
    answer: () => '',
    action: 'repeat',
  },
  {
    id: 'wrong-number',
    cues: [[/\b(wrong number|misdialled|misdialed|dialled wrong|wrong person)\b/, 5]],
    answer: () => 'No problem. If there is anything that I can help you with, just say so.',
  },
  {
    id: 'wait',
    cues: [
      [
        /\b(wait|hold on|one moment|just a (moment|second|minute|sec)|(one|a) (second|sec)|hang on|let me think|bear with me)\b/,
        4,
      ],
      [/^(uh huh|mm hm|mhm)$/, 3],
    ],
    answer: () => '',
    action: 'wait',
  },
  {
    id: 'thanks',
    cues: [
      [
        /\b(thank you|thanks|cheers|much appreciated|great|perfect|lovely|wonderful|brilliant|excellent)\b/,
        2,
      ],
    ],
    answer: () => 'You are welcome. Is there anything else?',
  },
  {
    id: 'how-are-you',
    cues: [[/\bhow (are you( doing)?( today)?$|are you (doing|feeling)|is it going|do you do)\b/, 3]],
    answer: () => 'I am well, thank you. How can I help you?',
  },
  {
    id: 'hello',
    cues: [
      [
        /^(hello|hi|hey|hi there|hello there|good (morning|afternoon|evening|day)|greetings|anybody there)\b/,
        2,
      ],
    ],
    answer: () => 'Hello. How can I help you?',
  },
  {
    id: 'test',
    cues: [[/\b(this is a test|just (looking|testing|trying|curious)|trying this out|testing testing)\b/, 4]],
    answer: () => 'Go ahead. Ask me about a price, or let me book a call for you.',
  },
  {
    id: 'never-mind',
    cues: [
      [/\b(never ?mind|forget (it|that|about it)|start over|start again|cancel that|go back)\b|^cancel$/, 4],
    ],
    answer: () => 'All right. What else can I do for you?',
  },
  {
    id: 'no',
    cues: [[/^(no|nope|no thanks|no thank you|not really|not now|not today)\b/, 2]],
    answer: () => 'All right. Is there anything else that I can do for you?',
  },
  {
    id: 'yes',
    cues: [[/^(yes|yeah|yep|sure|okay|of course|please do|yes please|go ahead|alright)( please)?$/, 2]],
    answer: () => 'What would you like: to know a price, to send an enquiry, or to book a call?',
  },
];
