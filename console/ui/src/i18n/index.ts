import { useSyncExternalStore } from 'react';
import { kept } from '../storage';
import type zh from './zh';

/** English is written where it is used; what has no Chinese does not compile. */
export type Text = keyof typeof zh;
export type Language = 'en' | 'zh';

type Values = Record<string, string | number>;

const STORE = 'cairn.language';
let language: Language = 'en';
let chinese: Record<string, string> | undefined;
const listeners = new Set<() => void>();

export function t(text: Text, values?: Values): string {
  const said = language === 'zh' ? (chinese?.[text] ?? text) : text;
  return values ? said.replace(/\{(\w+)\}/g, (all, name: string) => String(values[name] ?? all)) : said;
}

export async function setLanguage(next: Language): Promise<void> {
  if (next === 'zh' && !chinese) chinese = (await import('./zh')).default;
  language = next;
  kept.set(STORE, next);
  document.documentElement.lang = next === 'zh' ? 'zh-CN' : 'en';
  listeners.forEach((listener) => listener());
}

export function startLanguage(): Promise<void> {
  const chosen = kept.get(STORE) ?? (navigator.language.startsWith('zh') ? 'zh' : 'en');
  // Without its words the console is English rather than empty.
  return setLanguage(chosen === 'zh' ? 'zh' : 'en').catch(() => undefined);
}

export function useLanguage(): Language {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => language,
  );
}

export function number(value: number): string {
  return new Intl.NumberFormat(language === 'zh' ? 'zh-CN' : 'en').format(value);
}

/** A number of instances in words. */
export function instances(count: number): string {
  return count === 1 ? t('1 instance') : t('{n} instances', { n: number(count) });
}

/** A length of time in its two largest units. */
export function duration(millis: number): string {
  const seconds = Math.max(0, Math.round(millis / 1000));
  const [days, hours, minutes] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60];
  if (days > 0) return t('{n} d {m} h', { n: number(days), m: hours });
  if (hours > 0) return t('{n} h {m} min', { n: hours, m: minutes });
  return minutes > 0 ? t('{n} min {m} s', { n: minutes, m: seconds % 60 }) : t('{n} s', { n: seconds });
}

/** An amount of data in the unit that suits it. */
export function bytes(value: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let at = 0;
  let left = value;
  for (; left >= 1024 && at < units.length - 1; at++) left /= 1024;
  return `${number(Math.round(left * 10) / 10)} ${units[at]}`;
}

/** A moment in the reader's time zone; empty when unknown (0). */
export function moment(value: number | string | undefined | null): string {
  if (!value) return '';
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) return String(value);
  return new Intl.DateTimeFormat(language === 'zh' ? 'zh-CN' : 'en-GB', {
    dateStyle: 'medium',
    timeStyle: 'medium',
  }).format(date);
}
