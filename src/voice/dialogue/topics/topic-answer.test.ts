import { expect, test } from 'vitest';
import { claims } from '../../../../tests/support/claims.ts';
import { SPECIFIED_PLANS } from '../../../kernel/contract/plans.ts';
import { PublishedSite } from '../../../kernel/contract/site-content.ts';
import { normaliseWords } from '../spoken/word-normalisation.server.ts';
import { answerTopic } from './topic-answer.server.ts';

const KNOWN = {
  site: new PublishedSite(),
  brand: 'Northline',
  contactEmail: 'hello@example.com',
  hours: 'Monday to Friday from 9:00 to 17:00',
  sentences: ['Our founder is called Ada Bright.', 'We never work with gambling companies.'],
};

test.each([
  ['what is northline', 'Northline offers'],
  ['how much is the pro plan', '£49'],
  ['What would the Basic plan cost me every month?', '£15'],
  ['could you please tell me the price of premium', '£129'],
  ['how many documents do i get each month with the basic plan', '25 documents'],
  ['what is the difference between basic and pro', '£15'],
  ['what is the difference between basic and pro', '£49'],
  ['which of your plans is the most popular one', 'Pro'],
  ['what is your cheapest plan', '£15'],
  ['we get around two hundred invoices in a month what would you suggest', 'Premium'],
  ['which plan do you recommend for fifty documents a month', 'Pro Plan'],
  ['what does the enterprise plan include', '5 course uploads'],
  ['how much storage comes with the professional plan', '500 megabytes'],
  ['what plans do you have', '£129'],
  ['how much are the course plans', '£249'],
  ['how much is the business tier', 'custom pricing'],
  ['do you also build websites', 'websites'],
  ['can you make something that replies on our web page at night', 'websites'],
  ['does it pick up at night', 'day and night'],
  ['i would like to know more about lead generation', 'lead generation'],
  ['tell me something about chat bots for a law firm', 'chat bots'],
  ['can your phone assistant take bookings for a restaurant', 'Yes'],
  ['what services do you offer', 'lead generation'],
  ['Put me through to +449066778.', 'cannot put calls through'],
  ['Please forward me to 0906-677-812', 'cannot put calls through'],
  ['connect me to plus four four nine zero six', 'cannot put calls through'],
  ['are you a robot', 'AI assistant'],
  ['is this call being recorded', 'not recorded'],
  ['what are your opening hours on saturday', 'Monday to Friday'],
  ['how do i cancel my subscription', 'Billing tab'],
  ['can i change my plan later', 'Billing tab'],
  ['is there a free trial', 'no free trial'],
  ['which payment methods do you accept', 'card'],
  ['do you accept american express', 'card'],
  ['how long does it take to build a website', '24 hours'],
  ['can i get a refund', 'colleague'],
  ['my payment was declined', 'another card'],
  ['i forgot my password', 'Forgot your password'],
  ['how do i upload a document', 'Upload Files'],
  ['are my documents safe with you', 'own server'],
  ['who can see my files', 'only you'],
  ['how big can a file be', '100 megabytes'],
  ['what happens when i run out of documents', 'larger plan'],
  ['do you offer a discount for charities', 'same for everybody'],
  ['are there any limits on video length', '15 minutes'],
  ['how quickly can you get us started', '24 hours'],
  ['who is your founder', 'Ada Bright'],
  ['do you work with gambling companies', 'gambling'],
  ['how are you today', 'well'],
  ['sorry my talking to a machine', 'AI assistant'],
  ["what's the best way to get a hold of you", 'hello@'],
  ['you build chat bots what are they good for', 'chat bots'],
  ['what if i go over my limit', 'larger plan'],
  ['go over the prices with me', 'Basic'],
  ['can you see an example of a report', 'report'],
])('%s → %s', (question, expected) => {
  expect(answerTopic(normaliseWords(question), KNOWN, null)?.sentence).toContain(expected);
});

test.each([
  ['how do i do that', 'i want to stop my subscription', 'Billing tab'],
  ['how much is it', 'tell me about the pro plan', '£49'],
  ['stop how much is the pro plan', '', '£49'],
])('%s, after %s → %s', (question, words, expected) => {
  expect(answerTopic(question, KNOWN, { topic: 'any', words })?.sentence).toContain(expected);
});

test('words without any sense have no answer, after an answer neither', () => {
  const before = { topic: 'cancel-plan', words: 'i want to stop my subscription' };
  expect(answerTopic('purple monkey dishwasher', KNOWN, before)).toBeNull();
  expect(answerTopic('purple monkey dishwasher', KNOWN, null)).toBeNull();
});

test('services and plan names that the agency publishes are known, and what it sells no more is not offered', () => {
  claims('Tells callers what you offer, what it costs and when you are there.');
  const sold = SPECIFIED_PLANS.map((plan) =>
    plan.priceId === 'price_documents_pro' ? { ...plan, name: 'Harbour Plan', pricePence: 9900 } : plan,
  );
  const site = new PublishedSite({
    content: {
      services: [{ name: 'Loft Conversions', text: 'We turn a roof into a room', picture: 'none' }],
    },
    plans: { sold, former: [] },
  });
  const say = (words: string) => answerTopic(words, { ...KNOWN, site }, null)?.sentence ?? '';
  expect(say('do you do loft conversions')).toContain('We turn a roof into a room.');
  expect(say('what services do you offer')).toMatch(/^We offer loft conversions, /);
  expect(say('what services do you offer')).not.toContain('chat bot');
  expect(say('how much is the harbour plan')).toContain('£99');
});

test('the smallest plan that is large enough is recommended, in whatever order the owner shows them', () => {
  const site = new PublishedSite({
    content: {},
    plans: { sold: [...SPECIFIED_PLANS].reverse(), former: [] },
  });
  const say = (words: string) => answerTopic(normaliseWords(words), { ...KNOWN, site }, null)?.sentence ?? '';
  expect(say('which plan do you recommend for ten documents a month')).toContain('I suggest Basic');
});

test('an agency is known by its own name, and by no other', () => {
  const known = { ...KNOWN, brand: 'Kestrel & Sons' };
  const say = (words: string) => answerTopic(normaliseWords(words), known, null)?.sentence ?? '';
  expect(say('What is Kestrel & Sons?')).toMatch(/^Kestrel & Sons offers /);
  expect(say('Tell me about Kestrel & Sons')).toMatch(/^Kestrel & Sons offers /);
  expect(say('What does Kestrel & Sons do?')).toMatch(/^We offer /);
  expect(say('What is Northline?')).toBe('');
});

test('an agency with one document plan speaks of that plan alone: no tier beyond it, no courses, no apps', () => {
  const [basic] = SPECIFIED_PLANS;
  if (basic === undefined) throw new Error('no plan');
  const only = { ...basic, tier: 'atelier', name: 'Forfait Atelier', pricePence: 5900, currency: 'CHF' };
  const content = {
    currency: 'CHF',
    services: [{ name: 'Bookkeeping', text: 'We keep your books', picture: 'none' as const }],
    quotedTier: false as const,
  };
  const site = new PublishedSite({ content, plans: { sold: [only], former: [] } });
  const say = (words: string) => answerTopic(normaliseWords(words), { ...KNOWN, site }, null)?.sentence ?? '';
  const asked = [
    'what plans do you have',
    'how much does document analysis cost',
    'how much storage do i get',
    'how many documents can i have',
    'how long may a video be',
    'how much are the course plans',
    'how much is the business tier',
    'which plan do you recommend for five hundred documents a month',
    'do you build apps',
  ];
  for (const words of asked)
    expect(say(words), words).not.toMatch(/business tier|course|\bapps\b| \.| {2}|are [,.]/i);
  const price = 'The Forfait Atelier costs CHF\u00a059 a month and includes 25 documents a month.';
  expect(say('what plans do you have')).toBe(price);
  expect(say('how much storage do i get')).toBe('Every document plan has 1000 megabytes of storage.');
  expect(say('which plan do you recommend for five hundred documents a month')).toMatch(
    /^For 500 documents a month none of our plans is large enough\./,
  );
  site.install({
    content: {
      ...content,
      quotedTier: { name: 'Grand Atelier', price: 'On request', description: 'For groups' },
    },
    plans: { sold: [only], former: [] },
  });
  expect(say('what plans do you have')).toBe(`${price} Grand Atelier, on request: For groups.`);
  expect(say('how much is the grand atelier')).toMatch(/^Grand Atelier, on request: For groups\. I can take/);
});
