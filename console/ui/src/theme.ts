import { theme, type ThemeConfig } from 'antd';
import { useSyncExternalStore } from 'react';
import { kept } from './storage';

export type Appearance = 'light' | 'dark';

const STORE = 'cairn.theme';
const system = window.matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();
let chosen = kept.get(STORE);

function current(): Appearance {
  return chosen === 'dark' || chosen === 'light' ? chosen : system.matches ? 'dark' : 'light';
}

function apply() {
  document.documentElement.dataset.theme = current();
  listeners.forEach((listener) => listener());
}

system.addEventListener('change', apply);
document.documentElement.dataset.theme = current();

export function setAppearance(next: Appearance) {
  chosen = next;
  kept.set(STORE, next);
  apply();
}

export function useAppearance(): Appearance {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, current);
}

export function themeOf(appearance: Appearance): ThemeConfig {
  const dark = appearance === 'dark';
  return {
    algorithm: dark ? theme.darkAlgorithm : theme.defaultAlgorithm,
    token: {
      colorPrimary: dark ? '#22b8cf' : '#0e7490',
      colorInfo: dark ? '#4cc9dd' : '#0e7490',
      colorLink: dark ? '#4cc9dd' : '#0e7490',
      colorSuccess: dark ? '#4ade80' : '#126b31',
      colorWarning: dark ? '#fbbf24' : '#96480a',
      colorError: dark ? '#ff7a70' : '#c62828',
      colorTextSecondary: dark ? '#b3bcc5' : '#4b5661',
      colorTextTertiary: dark ? '#a3adb7' : '#5b6670',
      colorTextDescription: dark ? '#a3adb7' : '#5b6670',
      colorTextPlaceholder: dark ? '#8f99a3' : '#6b757f',
      colorTextLightSolid: dark ? '#06222a' : '#ffffff',
      colorBgLayout: dark ? '#0f1519' : '#f4f6f8',
      colorBgContainer: dark ? '#161e24' : '#ffffff',
      colorBgElevated: dark ? '#1c262d' : '#ffffff',
      colorPrimaryBg: dark ? '#10343d' : '#e2f1f4',
      colorInfoBg: dark ? '#10343d' : '#e9f5f7',
      colorInfoBorder: dark ? '#1d5563' : '#a9d6e0',
      colorSuccessBg: dark ? '#12301d' : '#e8f5ec',
      colorSuccessBorder: dark ? '#1f5a34' : '#a6d3b4',
      colorWarningBg: dark ? '#3a2a0c' : '#fdf3e3',
      colorWarningBorder: dark ? '#6b4d14' : '#ecc98f',
      colorErrorBg: dark ? '#3b1a1a' : '#fdecec',
      colorErrorBorder: dark ? '#6f2b2b' : '#eab0b0',
      // Under the pointer as well a text stands out by 4.5 to 1: by default it fades there.
      ...(dark ? {} : { colorPrimaryHover: '#0b5c73', colorLinkHover: '#0b5c73', colorErrorHover: '#a61f1f' }),
      // What is busy has a mark that turns; faded as well, its name could not be read.
      opacityLoading: 1,
      borderRadius: 6,
      fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif',
      motionDurationMid: '0.12s',
      motionDurationSlow: '0.16s',
      wireframe: false,
    },
    components: {
      Layout: { headerHeight: 52, headerPadding: '0 16px', headerBg: dark ? '#161e24' : '#ffffff', siderBg: dark ? '#121a1f' : '#ffffff' },
      Table: { cellPaddingBlock: 9, headerBg: dark ? '#1b252b' : '#f4f6f8' },
      Tabs: { horizontalMargin: '0 0 12px 0' },
      Menu: { itemSelectedBg: dark ? '#10343d' : '#e2f1f4', itemSelectedColor: dark ? '#6fd6e6' : '#0b5c73', itemBg: 'transparent' },
    },
  };
}
