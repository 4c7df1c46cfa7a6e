import { formatShortDay } from '../../../kernel/contract/dates.ts';
import type { BilledSubscription } from '../subscription/billing-management.contract.ts';
import { dateWords, endsWithAccount, unitWords } from '../subscription/billing-words.web.ts';
import { isValidStatus } from '../subscription/subscription-read.web.ts';

/** How much of the allowance was used, how far the month is, and when it starts again. */
export function UsageBoard({
  billed,
  deletionDue,
}: {
  readonly billed: BilledSubscription;
  /** When the account will be deleted, if that is planned, ISO 8601. */
  readonly deletionDue: string | undefined;
}) {
  const isLast = endsWithAccount(billed, deletionDue);
  const { plan, usage } = billed;
  const { used, included, left, resets_at, pace_runs_out_at } = usage;
  const { status, current_period_end, cancel_at_period_end } = billed.subscription;
  const credits = plan.line === 'courses' ? unitWords('courses', left) : left === 1 ? 'credit' : 'credits';
  if (!isValidStatus(status) && status !== 'past_due') {
    return (
      <div className="current-plan-use" data-line={plan.line}>
        <h3>Left to use</h3>
        <p className="big num">
          {left}
          <small> {credits}</small>
        </p>
        <p>Each upload takes one credit.</p>
      </div>
    );
  }
  return (
    <div className="current-plan-use" data-line={plan.line}>
      <h3>Used this month</h3>
      <p className="big num">
        {used}
        <small>
          {' '}
          of {included} {unitWords(plan.line, included)}
        </small>
      </p>
      <Sheets used={used} included={included} />
      <PeriodLine billed={billed} />
      <p>
        <b className="num">{left}</b> {credits} left.{' '}
        {isLast && `The plan ends with your account on ${dateWords(deletionDue)}.`}
        {!isLast && resets_at !== null && `The allowance resets on ${dateWords(resets_at)}.`}
        {!isLast &&
          resets_at === null &&
          cancel_at_period_end &&
          `The plan ends on ${dateWords(current_period_end)}.`}
      </p>
      {pace_runs_out_at !== null && (
        <p className="pace">
          <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
            <circle cx="10" cy="10" r="6.5" />
          </svg>
          At this pace you run out on {dateWords(pace_runs_out_at)}.
        </p>
      )}
    </div>
  );
}

/** One mark for each document; above a hundred, one stands for five, as on the plans of the home page. */
function Sheets({ used, included }: { used: number; included: number }) {
  const unit = included > 100 ? 5 : 1;
  const lit = Math.ceil(used / unit);
  const marks = Math.ceil(included / unit);
  return (
    <div className={marks <= 5 ? 'sheets20 few' : 'sheets20'} aria-hidden="true">
      {Array.from({ length: marks }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the marks are alike and never move
        <i key={index} className={index < lit ? 'on' : undefined} />
      ))}
    </div>
  );
}

/** The paid month as a line, with today, and the day on which the allowance runs out at this pace. */
function PeriodLine({ billed }: { billed: BilledSubscription }) {
  const { current_period_start: start, current_period_end: end } = billed.subscription;
  if (start === null || end === null) return null;
  const from = Date.parse(start);
  const length = Date.parse(end) - from;
  const now = Date.now();
  if (length <= 0 || now < from || now > from + length) return null;
  const along = (at: number): string => `${Math.min(100, Math.max(0, ((at - from) / length) * 100))}%`;
  const today = along(now);
  const empty = billed.usage.pace_runs_out_at;
  const share = (now - from) / length;
  return (
    <div className="period">
      <svg
        width="100%"
        height="58"
        role="img"
        aria-label={`The paid month, ${dateWords(start)} to ${dateWords(end)}`}
      >
        <text x={today} y="12" textAnchor={share < 0.1 ? 'start' : share > 0.9 ? 'end' : 'middle'}>
          Today
        </text>
        <line className="period-rest" x1="0" x2="100%" y1="29" y2="29" />
        <line className="period-gone" x1="0" x2={today} y1="29" y2="29" />
        <circle className="period-stop gone" cx="0" cy="29" r="6" />
        <circle className="period-stop" cx="100%" cy="29" r="6" />
        {empty !== null && <circle className="period-empty" cx={along(Date.parse(empty))} cy="29" r="6.5" />}
        <circle className="period-today" cx={today} cy="29" r="8" />
        <text x="0" dx="-7" y="55">
          {formatShortDay(new Date(start))}
        </text>
        <text x="100%" dx="7" y="55" textAnchor="end">
          {formatShortDay(new Date(end))}
        </text>
      </svg>
    </div>
  );
}
