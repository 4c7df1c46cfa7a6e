import { AssistantElement, show } from './assistant-element.web.ts';

// The entry of the script on other sites.
const script = document.currentScript;
if (!customElements.get('site-assistant')) customElements.define('site-assistant', AssistantElement);
if (script instanceof HTMLScriptElement) {
  if (document.body === null) addEventListener('DOMContentLoaded', () => void show(script));
  else void show(script);
}
