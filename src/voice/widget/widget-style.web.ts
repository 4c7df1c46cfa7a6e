/**
 * The styles of the assistant on another site. They are constructed (CSSOM), so that the page needs no `style-src` for
 * them, and follow the page's own `color-scheme` and direction.
 */
const RULES = `
:host { all: initial; color-scheme: inherit; direction: inherit;
  --paper: light-dark(#fff, #1b222c); --sunk: light-dark(#eef1f5, #2a3340); --line: light-dark(#747f8d, #8b96a5);
  --ink: light-dark(#17202b, #f2f5f9); --soft: light-dark(#4a5563, #c0c9d4);
  position: fixed; inset-block-end: 1rem; inset-inline-end: 1rem; z-index: 2147483000;
  font: 400 1rem/1.45 system-ui, sans-serif; color: var(--ink); text-align: start; }
:host([data-scheme="light"]) { color-scheme: light; }
:host([data-scheme="dark"]) { color-scheme: dark; }
*, ::before { box-sizing: border-box; }
[hidden] { display: none !important; }
button, input, textarea { font: inherit; color: inherit; }
button { min-block-size: 2.75rem; padding: .5rem 1rem; border: 1px solid var(--line); border-radius: .6rem;
  background: var(--paper); cursor: pointer; }
button.main, .launch { background: var(--accent); border-color: var(--accent); color: var(--on); font-weight: 600; }
.launch { border-radius: 2rem; padding-inline: 1.4rem; box-shadow: 0 2px 12px rgb(0 0 0 / .3); }
button:disabled { opacity: .6; cursor: default; }
:focus-visible { outline: 3px solid var(--ink); outline-offset: 2px; }
.panel { display: flex; flex-direction: column; gap: .75rem; inline-size: min(24rem, calc(100vw - 2rem));
  max-block-size: min(38rem, calc(100dvh - 2rem)); padding: 1rem; background: var(--paper); border: 1px solid var(--line);
  border-radius: 1rem; box-shadow: 0 8px 40px rgb(0 0 0 / .3); overflow: auto; animation: rise .2s ease-out; }
@keyframes rise { from { transform: translateY(1rem); opacity: 0; } }
header { display: flex; align-items: center; justify-content: space-between; gap: .75rem; }
h2 { margin: 0; font-size: 1.1rem; overflow-wrap: anywhere; }
h2 small { display: block; font-size: .85rem; font-weight: 400; color: var(--soft); }
p { margin: 0; overflow-wrap: anywhere; }
.soft { color: var(--soft); font-size: .92rem; }
.acts { display: flex; flex-wrap: wrap; gap: .5rem; }
.body { display: flex; flex-direction: column; gap: .75rem; }
.lines { min-block-size: 8rem; max-block-size: min(20rem, 45dvh); overflow-y: auto; }
ol { margin: 0; padding: .25rem; list-style: none; display: flex; flex-direction: column; gap: .5rem; }
li { max-inline-size: 88%; padding: .5rem .75rem; border-radius: .8rem; background: var(--sunk); overflow-wrap: anywhere; }
li[data-role="user"] { align-self: flex-end; background: var(--accent); color: var(--on); }
li b { display: block; font-size: .8rem; font-weight: 600; }
form { display: flex; flex-direction: column; gap: .5rem; }
label { font-weight: 600; font-size: .92rem; }
input, textarea { inline-size: 100%; padding: .6rem .75rem; border: 1px solid var(--line); border-radius: .6rem;
  background: var(--paper); }
textarea { resize: vertical; }
.trap { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); }
@media (prefers-reduced-motion: reduce) { .panel { animation: none; } }
@media (forced-colors: active) { li { border: 1px solid; } }
`;

const DEFAULT = { light: '#1f4f8f', dark: '#8fbcff' };
const HEX = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i;

/** Black or white, whichever reads better on a colour (WCAG 2.2, 1.4.3): one of them always has 4.5 to 1. */
export function inkOn(colour: string): '#000' | '#fff' {
  const [red = 0, green = 0, blue = 0] = (HEX.exec(colour) ?? []).slice(1).map((pair) => {
    const share = Number.parseInt(pair, 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000' : '#fff';
}

/** The style sheet with an agency's colours; anything that is not a colour is left out. */
export function widgetStyle(colours: {
  readonly light?: string | undefined;
  readonly dark?: string | undefined;
}): CSSStyleSheet {
  const of = (name: 'light' | 'dark'): string =>
    HEX.test(colours[name] ?? '') ? (colours[name] ?? '') : DEFAULT[name];
  const sheet = new CSSStyleSheet();
  const pair = (ink: (colour: string) => string) => `light-dark(${ink(of('light'))}, ${ink(of('dark'))})`;
  sheet.replaceSync(`${RULES} :host { --accent: ${pair((one) => one)}; --on: ${pair(inkOn)}; }`);
  return sheet;
}
