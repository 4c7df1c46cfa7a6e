/**
 * What a visitor can do when there is no microphone, in one sentence for each reason that
 * `getUserMedia` gives (Media Capture and Streams §10.2). The call goes on with typed words.
 */
export function microphoneWords(error: unknown): string {
  const name = error instanceof Error ? error.name : '';
  return WORDS[name] ?? 'Your microphone could not be opened. You can type to the assistant instead.';
}

const WORDS: Readonly<Record<string, string>> = {
  NotAllowedError:
    'Your browser may not use the microphone. Allow it in the address bar and call again, or type below.',
  SecurityError: 'This page may not use the microphone here. You can type to the assistant instead.',
  NotFoundError: 'No microphone was found. Plug one in and call again, or type below.',
  NotReadableError: 'Another program is using your microphone. Close it and call again, or type below.',
  OverconstrainedError:
    'No microphone was found that fits. Choose another one and call again, or type below.',
  AbortError: 'Your microphone stopped while it was being opened. Call again, or type below.',
  TypeError:
    'Browsers give the microphone to secure pages (https) only. You can type to the assistant instead.',
};

/** Said when the microphone is disconnected during a call. */
export const MICROPHONE_GONE =
  'Your microphone was disconnected. Plug it in and call again, or go on by typing below.';
