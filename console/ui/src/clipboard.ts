import { t } from './i18n';

/** Copies a text. Browsers have their clipboard on pages of https and of this machine only; elsewhere a selection is copied. */
export async function copy(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'out-of-sight';
  const before = document.activeElement;
  // Inside of a dialog, which keeps the focus to itself.
  (before?.closest('[role="dialog"]') ?? document.body).append(field);
  field.select();
  const copied = document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  if (!copied) throw new Error(t('The browser does not copy on pages without https: select the text and copy it yourself.'));
}
