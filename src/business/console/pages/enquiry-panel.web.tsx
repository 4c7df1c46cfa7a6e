import { useState } from 'react';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { NOTE_LENGTH, type OperatorEnquiry, REPLY_LENGTH } from '../console.contract.ts';
import { ConsolePanel } from '../parts/console-list-page.web.tsx';
import { Choice } from '../parts/console-parts.web.tsx';
import { May, MayWrite } from '../parts/console-role.web.tsx';
import { useOperatorAction } from '../parts/operator-action.web.ts';
import type { ClockFace } from '../parts/time-words.web.ts';
import { clockOf, shortTime, useNow } from '../parts/time-words.web.ts';

interface EnquiryPanelProps {
  readonly enquiry: OperatorEnquiry;
  /** Addresses of the operators. */
  readonly colleagues: readonly string[];
  readonly onBack: () => void;
}

/** One enquiry: its clock, what was written, and what the operator does about it. */
export function EnquiryPanel({ enquiry, colleagues, onBack }: EnquiryPanelProps) {
  return (
    <ConsolePanel label={enquiry.name} onBack={onBack}>
      <h2 className="cut-heading" title={enquiry.name}>
        {enquiry.name}
      </h2>
      <p className="meta num">{enquiry.id}</p>
      <Clock enquiry={enquiry} />
      {enquiry.suspect_reasons.length > 0 ? <Suspicion enquiry={enquiry} /> : null}
      <May call="act">
        <Acts enquiry={enquiry} />
      </May>
      <May call="act" otherwise={<p className="meta">Assigned to {enquiry.assignee ?? 'nobody yet'}</p>}>
        <Assignment enquiry={enquiry} colleagues={colleagues} />
      </May>
      <Words enquiry={enquiry} />
      <Replies enquiry={enquiry} />
      <MayWrite call="act">
        <Note enquiry={enquiry} />
      </MayWrite>
    </ConsolePanel>
  );
}

function Clock({ enquiry }: { enquiry: OperatorEnquiry }) {
  const face = clockOf(enquiry, useNow());
  return (
    <div className="clock" data-tone={face.tone}>
      <p>
        <b className="num">{face.figure}</b> {face.word}
      </p>
      <ReplyLine face={face} />
      <dl className="num">
        <div>
          <dt>Came</dt>
          <dd>{shortTime(enquiry.created_at)}</dd>
        </div>
        <div>
          <dt>{enquiry.replied_at === null ? 'Reply by' : 'Answered'}</dt>
          <dd>{shortTime(enquiry.replied_at ?? enquiry.due_at)}</dd>
        </div>
      </dl>
      {enquiry.warned_at !== null && enquiry.replied_at === null ? (
        <p className="meta">The agency was warned on {shortTime(enquiry.warned_at)}.</p>
      ) : null}
      {enquiry.replied_by === null ? null : <p className="meta">By {enquiry.replied_by}</p>}
    </div>
  );
}

/** Why an enquiry may be advertising, in plain words. */
export const suspicionWords = (reasons: readonly string[]): string =>
  reasons
    .map((reason) => (reason === 'no proof of work' ? 'sent faster than people type' : reason))
    .join(', ');

function Suspicion({ enquiry }: { enquiry: OperatorEnquiry }) {
  const { busy, act } = useOperatorAction();
  return (
    <div className="suspicion">
      <p>
        <b>May be advertising:</b> {suspicionWords(enquiry.suspect_reasons)}
      </p>
      <May call="act">
        <Button
          small
          look="quiet"
          busy={busy}
          onClick={() => void act({ do: 'enquiry.not_suspect', id: enquiry.id }, 'The mark is gone.')}
        >
          Not advertising
        </Button>
      </May>
    </div>
  );
}

function Acts({ enquiry }: { enquiry: OperatorEnquiry }) {
  const { busy, act } = useOperatorAction();
  const isAnswered = enquiry.replied_at !== null;
  return (
    <div className="console-acts">
      <Button
        look={isAnswered ? 'quiet' : 'ink'}
        busy={busy}
        onClick={() =>
          void act(
            { do: 'enquiry.replied', id: enquiry.id, replied: !isAnswered },
            isAnswered ? 'Its clock runs again.' : 'Marked as answered.',
          )
        }
      >
        {isAnswered ? 'Not answered after all' : 'Mark as answered'}
      </Button>
    </div>
  );
}

/** Who has it. */
function Assignment({ enquiry, colleagues }: Omit<EnquiryPanelProps, 'onBack'>) {
  const { act } = useOperatorAction();
  const { id, assignee } = enquiry;
  // The person who has the enquiry stays in the list, even after leaving the agency.
  const people = assignee === null || colleagues.includes(assignee) ? colleagues : [...colleagues, assignee];
  return (
    <Choice
      label="Assigned to"
      value={assignee ?? ''}
      options={[['', 'Nobody yet'], ...people.map((email) => [email, email] as const)]}
      onChoose={(email) =>
        void act(
          { do: 'enquiry.assign', id, assignee: email === '' ? null : email },
          email === '' ? 'Nobody has it now.' : `${email} has it now.`,
        )
      }
    />
  );
}

/** What was answered, and a field to answer; the mail goes out by itself. */
function Replies({ enquiry }: { enquiry: OperatorEnquiry }) {
  const { busy, act } = useOperatorAction();
  const [text, setText] = useState('');
  return (
    <section className="talk" aria-label="Answers">
      {enquiry.replies.length > 0 && (
        <ol>
          {enquiry.replies.map((reply) => (
            <li key={reply.created_at} data-own="">
              <span className="meta num">
                {reply.author ?? 'Somebody'} · {shortTime(reply.created_at)}
                {reply.mailed_at === null ? ' · on its way' : ''}
              </span>
              <p>{reply.body}</p>
            </li>
          ))}
        </ol>
      )}
      {enquiry.email === '' ? (
        <p className="meta">This one left no email address.</p>
      ) : (
        <May call="act">
          <form
            onSubmit={(event) => {
              event.preventDefault();
              if (text.trim() === '') return;
              void act({ do: 'enquiry.reply', id: enquiry.id, text }, 'The answer is on its way.').then(() =>
                setText(''),
              );
            }}
          >
            <div className="field">
              <label htmlFor="enquiry-reply">Answer to {enquiry.email}</label>
              <textarea
                id="enquiry-reply"
                rows={4}
                maxLength={REPLY_LENGTH}
                value={text}
                onChange={({ currentTarget }) => setText(currentTarget.value)}
              />
            </div>
            <Button small look="signal" type="submit" busy={busy} disabled={text.trim() === ''}>
              Send answer
            </Button>
          </form>
        </May>
      )}
    </section>
  );
}

function Words({ enquiry }: { enquiry: OperatorEnquiry }) {
  const { website, delivery } = enquiry;
  const rows: [string, string | null | undefined][] = [
    ['Service', enquiry.enquiry_type],
    ['Email', enquiry.email],
    ['Phone', enquiry.phone],
    ['Company', enquiry.company_name],
    ['Website', website],
    ['Notes', enquiry.additional_notes],
    ['Course', enquiry.course_description],
    ['Account', enquiry.user_id === null ? null : 'Sent while signed in'],
    ['Automation', delivery === 'dead' ? refusedWords(enquiry) : (DELIVERIES[delivery ?? ''] ?? null)],
  ];
  return (
    <dl className="words">
      {rows
        .filter(([, value]) => value !== null && value !== '' && value !== undefined)
        .map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{label === 'Website' ? <Website address={String(value)} /> : value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** Only http(s) addresses are stored; opened without a referrer. */
function Website({ address }: { address: string }) {
  if (!/^https?:\/\//.test(address)) return address;
  return (
    <a href={address} rel="noreferrer nofollow ugc" target="_blank">
      {address}
    </a>
  );
}

/** The specified words for a refused webhook (docs/specification/site.md §7), and what became of it. */
const refusedWords = ({ id }: OperatorEnquiry): string =>
  `${id.startsWith('COURSE-') ? MESSAGES.enquiry.courseMailFailed : MESSAGES.enquiry.mailFailed}: the automation refused it, so it was mailed to you.`;

const DELIVERIES: Readonly<Record<string, string>> = {
  pending: 'Delivery is under way',
  delivered: 'Delivered',
  cancelled: 'Mailed',
};

function Note({ enquiry }: { enquiry: OperatorEnquiry }) {
  const { busy, act } = useOperatorAction();
  const [note, setNote] = useState(enquiry.note);
  return (
    <form
      className="console-note"
      onSubmit={(event) => {
        event.preventDefault();
        void act({ do: 'enquiry.note', id: enquiry.id, note }, 'The note is kept.');
      }}
    >
      <div className="field">
        <label htmlFor="enquiry-note">Note for colleagues</label>
        <textarea
          id="enquiry-note"
          rows={3}
          maxLength={NOTE_LENGTH}
          value={note}
          onChange={({ currentTarget }) => setNote(currentTarget.value)}
        />
      </div>
      <May call="act">
        <Button small look="quiet" type="submit" busy={busy} disabled={note === enquiry.note}>
          Save note
        </Button>
      </May>
    </form>
  );
}

/** 20 of 24 hours. */
const WARNING_SHARE = 20 / 24;
const [START, LENGTH] = [14, 452];
const at = (share: number): number => START + LENGTH * share;

/** The promise as a line: where the enquiry came in, the warning at 20 hours, the end at 24, and how far it is. */
function ReplyLine({ face }: { face: ClockFace }) {
  return (
    <svg viewBox="0 0 480 40" className="reply-line" data-tone={face.tone} aria-hidden="true">
      <path className="reply-way" d={`M${START} 20H${at(1)}`} />
      <path className="reply-gone" d={`M${START} 20H${at(face.share)}`} />
      <circle className="reply-stop" cx={START} cy="20" r="8" />
      <path className="reply-tick" d={`M${at(WARNING_SHARE)} 8V32`} />
      <circle className="reply-stop" cx={at(1)} cy="20" r="8" />
      <circle className="reply-token" cx={at(face.share)} cy="20" r="11" />
    </svg>
  );
}
