/**
 * One recogniser: PocketSphinx, called in a process of its own, because a fault in a native library
 * would end the server and every call with it. Started as
 * `node recogniser-process.server.ts LIBRARIES MODELS OWN_MODEL DICTIONARY`.
 */
import { openDecoder } from './open-decoder.server.ts';
import type { RecogniserReply, RecogniserRequest } from './recogniser-messages.server.ts';

const [libraries = '', models = '', ownModel = '', dictionary = ''] = process.argv.slice(2);
const decoder = openDecoder({ libraries, models, ownModel, dictionary });

function reply(message: RecogniserReply): void {
  process.send?.(message);
}

process.on('message', (request: RecogniserRequest) => {
  if (request.kind === 'begin') decoder.begin();
  else if (request.kind === 'end') reply({ kind: 'heard', ...decoder.end() });
  else {
    const text = decoder.hear(request.pcm);
    if (text !== null) reply({ kind: 'partial', text });
  }
});
// Without the server there is nobody to listen for.
process.on('disconnect', () => process.exit(0));
reply({ kind: 'ready' });
