import { Liquid } from 'liquidjs';
import type { CallAssistant } from '../engines/engines.server.ts';

/** What the texts of one call are filled from. */
export interface TemplateContext {
  readonly now: Date;
  /**
   * IANA name of the agency's time zone, in which `{{now}}` and the filter `date` print unless the template
   * names another.
   */
  readonly zone: string;
  /** Name of the agency, `{{brand}}`. */
  readonly brand: string;
  /** Receives a sentence for each text that cannot be filled and is left as it was written. */
  warn(line: string): void;
}

/** Longest template, characters; and most items and characters that its loops and filters may produce. */
const PARSE_LIMIT = 200_000;
const MEMORY_LIMIT = 100_000;
/**
 * Milliseconds that one text may take, and all texts of an assistant together: other calls wait meanwhile.
 */
const TEXT_LIMIT_MS = 250;
const ASSISTANT_LIMIT_MS = 500;

/**
 * Fills the texts of an assistant with the values of one call: `{{name}}` from `variableValues`, `brand`, and `now`,
 * `date`, `time`, `day`, `month` and `year`, by LiquidJS as on the platform (docs/contracts/voice.md §3). A
 * value is never read as a template itself, and a variable without a value is empty.
 */
export function fillAssistant(assistant: CallAssistant, context: TemplateContext): CallAssistant {
  const fill = createFiller(assistant.variableValues ?? {}, context);
  const { firstMessage, endCallMessage, model, messagePlan, hooks } = assistant;
  return {
    ...assistant,
    ...(firstMessage === undefined ? {} : { firstMessage: fill(firstMessage) }),
    ...(endCallMessage === undefined ? {} : { endCallMessage: fill(endCallMessage) }),
    ...(model?.messages === undefined
      ? {}
      : {
          model: {
            ...model,
            messages: model.messages.map((message) => ({ ...message, content: fill(message.content) })),
          },
        }),
    ...(messagePlan === undefined ? {} : { messagePlan: fillMembers(messagePlan, fill) }),
    ...(hooks === undefined
      ? {}
      : {
          hooks: hooks.map((hook) => ({ ...hook, do: hook.do.map((action) => fillMembers(action, fill)) })),
        }),
  };
}

/** Fills texts, and leaves everything else as it is. */
type Filler = <Value>(value: Value) => Value;

function fillMembers<Plan extends object>(plan: Plan, fill: Filler): Plan {
  const filled = Object.entries(plan).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map(fill) : fill(value),
  ]);
  return Object.fromEntries(filled) as Plan;
}

function createFiller(values: Readonly<Record<string, unknown>>, context: TemplateContext): Filler {
  const liquid = new Liquid({
    // Tags that load other templates find none: templates must not read the product's files.
    templates: {},
    ownPropertyOnly: true,
    timezoneOffset: context.zone,
    locale: 'en-US',
    parseLimit: PARSE_LIMIT,
    memoryLimit: MEMORY_LIMIT,
  });
  const scope = { brand: context.brand, ...timeValues(context), ...values };
  const deadline = performance.now() + ASSISTANT_LIMIT_MS;
  return (value) => {
    if (typeof value !== 'string' || !/\{[{%]/.test(value)) return value;
    try {
      const renderLimit = Math.min(TEXT_LIMIT_MS, deadline - performance.now());
      return liquid.parseAndRenderSync(value, scope, { renderLimit });
    } catch (error) {
      context.warn(`a text was left as it is written: ${error instanceof Error ? error.message : error}`);
      return value;
    }
  };
}

/** A moment that prints as `text`; the filter `date` still reads it as a moment. */
class PrintedMoment extends Date {
  readonly #text: string;

  constructor(moment: Date, text: string) {
    super(moment);
    this.#text = text;
  }

  override toString(): string {
    return this.#text;
  }
}

/** The time variables that every template may use, in the platform's formats. */
function timeValues({ now, zone }: TemplateContext): Readonly<Record<string, unknown>> {
  const print = (options: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat('en-US', { timeZone: zone, ...options }).format(now).replaceAll('\u202f', ' ');
  const date = print({ day: 'numeric', month: 'short', year: 'numeric' });
  const time = print({ hour: 'numeric', minute: '2-digit' });
  return {
    now: new PrintedMoment(now, `${date} ${time}`),
    date: new PrintedMoment(now, date),
    time: new PrintedMoment(now, time),
    day: print({ day: 'numeric' }),
    month: print({ month: 'long' }),
    year: print({ year: 'numeric' }),
  };
}
