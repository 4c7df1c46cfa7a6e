/** R of a connection with all defaults of ITU-T G.107 (table 3), without delay and loss. */
const BEST_R = 93.2;
/**
 * Robustness of G.711 with loss concealment against random loss (ITU-T G.113 table I.4); its own impairment
 * is zero.
 */
const LOSS_ROBUSTNESS = 25.1;

/**
 * The mean opinion score by ITU-T G.107, clauses 7.4, 7.5 and annex B. Wideband codecs are rated like G.711,
 * since their advantage is beyond the scale of the narrowband model.
 */
export function meanOpinionScore(lossPercent: number, delayMs: number): number {
  const late = 0.024 * delayMs + (delayMs > 177.3 ? 0.11 * (delayMs - 177.3) : 0);
  const lossy = 95 * (lossPercent / (lossPercent + LOSS_ROBUSTNESS));
  const r = Math.max(0, BEST_R - late - lossy);
  const score = 1 + 0.035 * r + r * (r - 60) * (100 - r) * 7e-6;
  return Math.round(Math.max(1, score) * 100) / 100;
}
