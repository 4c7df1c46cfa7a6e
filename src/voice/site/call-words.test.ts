import { describe, expect, test } from 'vitest';
import { endingWords, refusalWords } from './call-endings.web.ts';
import { MICROPHONE_GONE, microphoneWords } from './microphone-words.web.ts';

describe('the end of a call that the caller did not choose is told with its reason', () => {
  test.each([
    ['silence-timed-out', 'Nobody spoke for a while, so the assistant hung up.'],
    ['exceeded-max-duration', 'The call had reached its longest time.'],
    ['worker-shutdown', 'Our server is being restarted. Call again in a minute.'],
    ['pipeline-error', 'Something went wrong at our end. Please call again, or send us an enquiry.'],
    ['toString', 'Something went wrong at our end. Please call again, or send us an enquiry.'],
    [undefined, 'The connection was lost. Check your network and call again.'],
    ['assistant-ended-call', null],
  ])('%s', (reason, words) => {
    expect(endingWords(reason, false)).toBe(words);
    expect(endingWords(reason, true)).toBeNull();
  });

  test('busy lines are told in the words of the server, other failures have none', () => {
    expect(refusalWords({ status: 429, message: 'All lines are busy.' })).toBe('All lines are busy.');
    expect(refusalWords({ errorMsg: 'Full.', error: { type: 'meeting-full' } })).toBe('Full.');
    expect(refusalWords(new Error('x'))).toBeNull();
  });
});

describe('a call without a microphone says why, and what to do', () => {
  test.each([
    [
      'NotAllowedError',
      'Your browser may not use the microphone. Allow it in the address bar and call again, or type below.',
    ],
    ['SecurityError', 'This page may not use the microphone here. You can type to the assistant instead.'],
    ['NotFoundError', 'No microphone was found. Plug one in and call again, or type below.'],
    ['NotReadableError', 'Another program is using your microphone. Close it and call again, or type below.'],
    [
      'OverconstrainedError',
      'No microphone was found that fits. Choose another one and call again, or type below.',
    ],
    ['AbortError', 'Your microphone stopped while it was being opened. Call again, or type below.'],
    [
      'TypeError',
      'Browsers give the microphone to secure pages (https) only. You can type to the assistant instead.',
    ],
    ['Other', 'Your microphone could not be opened. You can type to the assistant instead.'],
  ])('%s', (name, words) => {
    expect(microphoneWords(Object.assign(new Error('x'), { name }))).toBe(words);
  });

  test('one that is unplugged in mid-call', () => {
    expect(MICROPHONE_GONE).toBe(
      'Your microphone was disconnected. Plug it in and call again, or go on by typing below.',
    );
  });
});
