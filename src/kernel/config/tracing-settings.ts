import { z } from 'zod';
import { decoded, text, url } from './setting-rules.ts';

/** The pairs in OTEL_EXPORTER_OTLP_HEADERS; undefined when they cannot be read. */
function pairsOf(words: string): Record<string, string> | undefined {
  const pairs: Record<string, string> = {};
  for (const word of words.split(',').filter((each) => each.trim() !== '')) {
    const [, name, value] = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*=\s*([\x21-\x7e]*)\s*$/.exec(word) ?? [];
    const meant = decoded(value ?? '%');
    if (name === undefined || meant === undefined) return undefined;
    pairs[name] = meant;
  }
  return pairs;
}

/** The headers that are sent with every batch of traces, read from a setting that was validated before. */
export function readTraceHeaders(words: string): Record<string, string> {
  return pairsOf(words) ?? {};
}

/** Settings for traces, with the names that the OpenTelemetry specification gives them. */
export const TRACING_SETTINGS = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    rule: url(['http:', 'https:']),
    about:
      'OpenTelemetry collector that gets traces by OTLP over HTTP, e.g. http://127.0.0.1:4318; empty = no traces.',
    secret: 'in address',
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    rule: text('').refine((words) => pairsOf(words) !== undefined, {
      error: 'must be pairs as name=value,other=value, percent-encoded',
    }),
    about: 'Headers for the collector, such as its key: name=value,other=value, percent-encoded.',
    secret: true,
  },
  OTEL_SERVICE_NAME: { rule: text('northline'), about: 'Name of this installation in traces.' },
  OTEL_TRACES_SAMPLER_ARG: {
    rule: z
      .string()
      .default('1')
      .transform((word) => (/^(?:\d+|\d*\.\d+)$/.test(word.trim()) ? Number(word) : Number.NaN))
      .refine((share) => share >= 0 && share <= 1, { error: 'must be a share from 0 to 1' }),
    about: 'Share of traces to record, from 0 to 1, no matter what a request asks for.',
  },
} as const;
