import { openAgency } from './agency.ts';
import { type AskedRequest, askRequest } from './request-ask.ts';
import type { SpokenRequest } from './request-file.ts';

/** Puts a request to the dialogue as if every word had been understood. */
export async function typeRequest(request: SpokenRequest, typed: boolean): Promise<AskedRequest> {
  const agency = openAgency();
  let hungUp = false;
  const say = async (said: string) => {
    const text = said.replace(/<\d+> ?/g, '');
    const answer: string[] = [];
    const heard = { text, confidence: 1, typed };
    for await (const step of agency.dialogue.reply(heard, [], new AbortController().signal)) {
      if (step.kind === 'sentence') answer.push(step.text);
      if (step.kind === 'hang-up') hungUp = true;
    }
    return { said, heard: text, confidence: 1, answer: answer.join(' ') };
  };
  return askRequest(request, say, agency, () => hungUp);
}
