import { ConfigProvider, Skeleton } from 'antd';
import { lazy, Suspense, type ComponentProps } from 'react';

const Editor = lazy(() => import('./CodeEditor'));
const importDiff = () => import('./DiffView');
const Diff = lazy(importDiff);

/** Loads the comparison before it is looked at. */
export function loadDiff() {
  // Where that fails, it is tried again when it is wanted.
  void importDiff().catch(() => undefined);
}

/** Read-only where what surrounds it is disabled. The editors come with the first view that needs one, not with the console. */
export function CodeEditor(props: ComponentProps<typeof Editor>) {
  const { componentDisabled } = ConfigProvider.useConfig();
  return (
    <Suspense fallback={<Skeleton active />}>
      <Editor key={String(componentDisabled)} {...props} onChange={componentDisabled ? undefined : props.onChange} />
    </Suspense>
  );
}

export function DiffView(props: ComponentProps<typeof Diff>) {
  return (
    <Suspense fallback={<Skeleton active />}>
      <Diff {...props} />
    </Suspense>
  );
}
