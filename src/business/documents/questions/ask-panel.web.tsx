import type { DocumentKind } from '@northline/document-reader/report.contract';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useRef } from 'react';
import { Link } from 'wouter';
import { Button } from '../../../ui/parts/button.tsx';
import { CallRefused, callServer } from '../../../ui/session/server-call.ts';
import { LONGEST_SEARCH } from '../search/document-search.contract.ts';
import { placePath } from '../viewer/place-address.web.ts';
import { CiteChip } from '../viewer/quote-jump.web.tsx';
import { ASK_DOCUMENTS, type DocumentAnswer } from './document-question.contract.ts';

const WHY: Readonly<Record<NonNullable<DocumentAnswer['why']>, string>> = {
  no_model: 'The places that fit your question best:',
  budget: 'Today’s answers are used up. The places that fit your question best:',
  unavailable: 'No answer could be written just now. The places that fit your question best:',
  unverified: 'The answer could not be proved with the text, so it is not shown. The places that fit best:',
};

const OF_AGREEMENTS = [
  'When can it be terminated?',
  'Who is liable for damage?',
  'What has to be paid, and when?',
];
/** Common questions about a kind of document. */
const SUGGESTED: Partial<Record<DocumentKind, readonly string[]>> = {
  lease: ['When can it be terminated?', 'Who has to repair what?', 'What happens to the deposit?'],
  contract: OF_AGREEMENTS,
  terms: OF_AGREEMENTS,
  invoice: ['How is it to be paid?', 'What happens when it is paid late?'],
  letter: ['What is asked for?', 'By when is an answer needed?'],
  minutes: ['What was decided?', 'Who has to do what?'],
};

/** A question about one document (`fileId`) of a kind, or about all documents. */
export function AskPanel({ fileId, kind }: { fileId?: string; kind?: DocumentKind }) {
  const field = useRef<HTMLInputElement>(null);
  const asked = useMutation({
    mutationFn: async (question: string): Promise<DocumentAnswer> => {
      const reply = await callServer(ASK_DOCUMENTS, { as: 'user', body: { question, file_id: fileId } });
      return reply.json() as Promise<DocumentAnswer>;
    },
  });
  const suggested = SUGGESTED[kind ?? 'other'] ?? [];
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const question = String(new FormData(event.currentTarget).get('question') ?? '').trim();
    if (question.length > 1) asked.mutate(question);
  };
  const said = asked.error instanceof CallRefused ? asked.error.sentence : undefined;
  return (
    <section className="panel pad ask" aria-labelledby="ask-title">
      <h2 id="ask-title">{fileId === undefined ? 'Ask your documents' : 'Ask this document'}</h2>
      <form className="ask-form" onSubmit={submit}>
        <input
          ref={field}
          name="question"
          maxLength={LONGEST_SEARCH}
          autoComplete="off"
          placeholder="When can it be terminated?"
          aria-label="Your question"
        />
        <Button small look="quiet" type="submit" busy={asked.isPending}>
          Ask
        </Button>
      </form>
      {suggested.length > 0 && (
        <p className="ask-more">
          {suggested.map((question) => (
            <button
              key={question}
              type="button"
              className="btn quiet small"
              onClick={() => {
                if (field.current !== null) field.current.value = question;
                asked.mutate(question);
              }}
            >
              {question}
            </button>
          ))}
        </p>
      )}
      <div aria-live="polite" aria-busy={asked.isPending}>
        {asked.isError && <p className="fault">{said ?? 'The question did not come through. Try again.'}</p>}
        {asked.data !== undefined && <Answer answer={asked.data} inside={fileId !== undefined} />}
      </div>
    </section>
  );
}

function Answer({ answer, inside }: { answer: DocumentAnswer; inside: boolean }) {
  const { how, why, sentences, left_out: leftOut, passages } = answer;
  if (how === 'passages') {
    if (passages.length === 0) return <p className="meta">No document says anything about that.</p>;
    return (
      <>
        <p className="meta">{WHY[why ?? 'no_model']}</p>
        <ul className="ask-places">
          {passages.map((hit) => (
            <li key={`${hit.file_id} ${hit.cite.block} ${hit.cite.start}`}>
              {hit.snippet.map((part, index) =>
                // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text do not move
                part.hit ? <mark key={index}>{part.text}</mark> : part.text,
              )}{' '}
              <Place place={hit} inside={inside} />
            </li>
          ))}
        </ul>
      </>
    );
  }
  return (
    <>
      <ol className="ask-answer">
        {sentences.map((sentence) => (
          <li key={sentence.text}>
            {sentence.text} <Place place={sentence} inside={inside} />
          </li>
        ))}
      </ol>
      <p className="meta">
        Written by a language model; every sentence’s quote stands in the text.
        {leftOut > 0 && ` ${leftOut === 1 ? 'One more could' : `${leftOut} more could`} not be proved.`}
      </p>
    </>
  );
}

/** The place of an answer: a chip inside the document's own report, a link elsewhere. */
function Place({
  place,
  inside,
}: {
  place: Pick<DocumentAnswer['sentences'][number], 'file_id' | 'file_name' | 'cite'>;
  inside: boolean;
}) {
  if (inside) return <CiteChip cite={place.cite} />;
  const page = place.cite.page === undefined ? '' : `, page ${place.cite.page}`;
  return (
    <Link href={placePath(place.file_id, place.cite)}>
      {place.file_name}
      {page}
    </Link>
  );
}
