import { Skeleton } from 'antd';
import { lazy, Suspense, type ComponentProps } from 'react';

const Editor = lazy(() => import('./CodeEditor'));
const Diff = lazy(() => import('./DiffView'));

/** The editors come with the first view that needs one, not with the console. */
export function CodeEditor(props: ComponentProps<typeof Editor>) {
  return (
    <Suspense fallback={<Skeleton active />}>
      <Editor {...props} />
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
