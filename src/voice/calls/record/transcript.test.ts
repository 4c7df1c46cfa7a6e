import { expect, test } from 'vitest';
import { Transcript } from './transcript.server.ts';

test('interrupted words stand before the words that interrupted them, and apart from the next answer', () => {
  const transcript = new Transcript(0);
  transcript.add('user', 'Book a call for me.', 1);
  transcript.add('assistant', 'On Monday at nine.', 2);
  const by = transcript.add('user', 'No, on Tuesday.', 3);
  transcript.addCut({ text: 'shall I', heard: 'shall I' }, 3, by);
  transcript.add('assistant', "I don't have Tuesday.", 4);
  transcript.addCut({ text: 'Wednesday would', heard: 'Wednesday would' }, 5, undefined);
  transcript.add('assistant', 'What day suits you?', 6);
  transcript.add('assistant', 'Mornings are free.', 7);
  expect(transcript.text()).toBe(
    [
      'User: Book a call for me.',
      'AI: On Monday at nine. shall I',
      'User: No, on Tuesday.',
      "AI: I don't have Tuesday. Wednesday would",
      'AI: What day suits you? Mornings are free.',
      '',
    ].join('\n'),
  );
});
