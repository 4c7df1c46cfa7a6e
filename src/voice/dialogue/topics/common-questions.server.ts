import type { Embed } from '../knowledge/fact-search.server.ts';

/** Questions that the agency's topics answer, as people put them; what was not understood is compared with them. */
export const COMMON_QUESTIONS: readonly string[] = [
  'What services do you offer?',
  'Can you build a website for me?',
  'Can you make a chat bot for my website?',
  'Can you answer the phone for my business?',
  'Can you help me find new customers?',
  'Can you turn my knowledge into an online course?',
  'Can you analyze my documents?',
  'What do your plans cost?',
  'How much are the course plans?',
  'What is the biggest plan?',
  'What is the cheapest plan?',
  'Which plan do I need?',
  'How many documents are in each plan?',
  'How much storage do I get?',
  'How do I buy a plan?',
  'Is there a free trial?',
  'Is there a discount?',
  'Are the prices with tax?',
  'How can I pay?',
  'When am I charged?',
  'How do I cancel my plan?',
  'Can I change my plan?',
  'What happens when I run out of documents?',
  'Do unused documents carry over to the next month?',
  'Can I get a refund?',
  'How do I create an account?',
  'How do I delete my account?',
  'I forgot my password.',
  'Where are my invoices?',
  'My payment failed, what now?',
  'Something does not work.',
  'Which file types can I upload?',
  'How big can a file be?',
  'How do I upload a file?',
  'How do I delete a file?',
  'How long does an analysis take?',
  'What does a report look like?',
  'Who can see my files?',
  'Where are my files stored?',
  'Which languages do you support?',
  'Do you have integrations with other software?',
  'Is there an app?',
  'How long does a project take?',
  'When are you open?',
  'Are you there day and night?',
  'How can I contact you?',
  'Where are you based?',
  'How soon do you reply?',
  'Who are you?',
  'Are you a robot?',
  'Is this call recorded?',
  'What do you store about me?',
  'Delete what I said.',
  'Can I speak to a person?',
  'I would like to send an enquiry.',
  'I would like to book a call.',
  'What can you do?',
];

/** Set on the dev paraphrases of the agency: below it nothing is meant. */
const LEAST_ALIKE = 0.42;
/** So much behind the most likely one, another is not asked about. */
const BEHIND = 0.15;
const MOST = 3;

/** The questions that may have been meant, the likeliest first; none where the model is not there, or late. */
export async function questionsLike(words: string, embed: Embed): Promise<string[]> {
  const [asked, ...known] = await embed([words, ...COMMON_QUESTIONS]).catch(() => []);
  if (asked === undefined) return [];
  const alike = known
    .map((vector, at) => ({
      question: COMMON_QUESTIONS[at] ?? '',
      likeness: vector.reduce((sum, one, place) => sum + one * (asked[place] ?? 0), 0),
    }))
    .sort((one, other) => other.likeness - one.likeness);
  const best = alike[0]?.likeness ?? 0;
  return alike
    .slice(0, MOST)
    .filter(({ likeness }) => likeness >= LEAST_ALIKE && likeness >= best - BEHIND)
    .map(({ question }) => question);
}
