import { App, Alert, Button, Empty, Grid, Input, Skeleton } from 'antd';
import { useMemo, useRef, type MouseEvent, type ReactNode } from 'react';
import { ApiError } from '../api/http';
import { t } from '../i18n';
import type { Remote } from '../remote';
import { href, navigate } from '../router';

/** A link to a view: an ordinary address that other tabs can open, followed without loading the page anew. */
export function Link(props: { to: string; children: ReactNode; className?: string; title?: string }) {
  const follow = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    navigate(props.to);
  };
  return (
    <a href={href(props.to)} onClick={follow} className={props.className} title={props.title}>
      {props.children}
    </a>
  );
}

export function PageHead(props: { title: ReactNode; sub?: ReactNode; children?: ReactNode }) {
  return (
    <div className="page-head">
      <div className="grow" style={{ minWidth: 260 }}>
        <h1>{props.title}</h1>
        {props.sub && <div className="sub">{props.sub}</div>}
      </div>
      <div className="row">{props.children}</div>
    </div>
  );
}

/** The server's words, or better ones where it says no more than that it refuses. */
function words(failure: unknown): string {
  if (failure instanceof ApiError && failure.status === 403 && /authorization failed/i.test(failure.message)) {
    return t('You have no right that allows this. Ask an administrator for a role that does.');
  }
  return failure instanceof Error ? failure.message : String(failure);
}

export function Problem(props: { error: ApiError; retry?: () => void }) {
  const { error } = props;
  const title =
    error.status === 403
      ? t('You are not allowed to do this')
      : error.unreachable
        ? t('The server cannot be reached')
        : error.absent
          ? t('Not found')
          : t('The server refused this');
  return (
    <Alert
      type={error.unreachable ? 'warning' : 'error'}
      showIcon
      title={title}
      description={error.unreachable ? t('This page continues automatically when the server is available again.') : words(error)}
      action={props.retry && <Button onClick={props.retry}>{t('Try again')}</Button>}
    />
  );
}

/** What was loaded; before that a skeleton, and a problem in words when it could not be. */
export function Loaded<T>(props: { remote: Remote<T>; children: (data: T) => ReactNode }) {
  const { data, error, reload } = props.remote;
  if (data !== undefined) return <>{props.children(data)}</>;
  if (error) return <Problem error={error} retry={reload} />;
  return <Skeleton active paragraph={{ rows: 5 }} />;
}

/** Says which nodes of the cluster did not answer, so that what is shown lacks their part. */
export function Incomplete(props: { nodes: string[] }) {
  return (
    props.nodes.length > 0 && (
      <Alert style={{ marginBottom: 12 }} type="warning" showIcon title={t('Incomplete: these nodes did not answer: {nodes}', { nodes: props.nodes.join(', ') })} />
    )
  );
}

/** Runs something that the server may refuse, and says how it went. */
export function useAction() {
  const { message, modal } = App.useApp();
  return useMemo(
    () => ({
      modal,
      message,
      async run<T>(action: () => Promise<T>, done?: string): Promise<T | undefined> {
        try {
          const result = await action();
          if (done) void message.success(done);
          return result ?? (true as T);
        } catch (failure) {
          void message.error(words(failure), 8);
          return undefined;
        }
      },
    }),
    [message, modal],
  );
}

/** As {@link useAction}, one at a time: what comes while one is under way, such as a second click, is not done. */
export function useSingleAction() {
  const action = useAction();
  const underWay = useRef(false);
  return useMemo(
    () => ({
      ...action,
      async run<T>(...args: Parameters<typeof action.run<T>>): Promise<T | undefined> {
        if (underWay.current) return undefined;
        underWay.current = true;
        try {
          return await action.run(...args);
        } finally {
          underWay.current = false;
        }
      },
    }),
    [action],
  );
}

/** Asks for a name to be typed before something is gone for good. */
export function useConfirm() {
  const { modal } = App.useApp();
  return (options: { title: string; text: ReactNode; button: string; danger?: boolean; type?: string; run: () => Promise<unknown> }) => {
    let typed = '';
    const shown = modal.confirm({
      title: options.title,
      width: 480,
      okText: options.button,
      cancelText: t('Cancel'),
      okButtonProps: { danger: options.danger, disabled: options.type !== undefined },
      content: (
        <>
          <div className="wrap">{options.text}</div>
          {options.type !== undefined && (
            <Input
              style={{ marginTop: 12 }}
              aria-label={t('Type {word} to confirm', { word: options.type })}
              placeholder={t('Type {word} to confirm', { word: options.type })}
              onChange={(event) => {
                typed = event.target.value;
                shown.update({ okButtonProps: { danger: options.danger, disabled: typed !== options.type } });
              }}
            />
          )}
        </>
      ),
      onOk: options.run,
    });
  };
}

export function Dot(props: { kind: 'good' | 'bad' | 'warn' | 'none' }) {
  return <span className={`dot ${props.kind}`} aria-hidden="true" />;
}

/** Room for a table within a panel: one that is wider than the window is moved sideways in it, with the keyboard too. */
export function TableScroll(props: { children: ReactNode }) {
  return <div className="table-scroll" tabIndex={0}>{props.children}</div>;
}

/** The heading of the column with the buttons that open a row: it is read aloud, and has no room to be seen. */
export function OpeningColumn() {
  return <span className="out-of-sight">{t('Details')}</span>;
}

/** Stands below the text of a cell where there is no room for the column that it has otherwise, one with {@code responsive: ['md']}. */
export function Beneath(props: { children: ReactNode }) {
  return Grid.useBreakpoint().md === false && <div className="muted wrap">{props.children}</div>;
}

/** What a list says that is empty: what it would hold, and how to get there. */
export function Nothing(props: { text: string; children?: ReactNode }) {
  return (
    <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={props.text}>
      {props.children}
    </Empty>
  );
}

/** A text that comes from users: shown as it is, cut when long, in its own direction. */
export function Clip(props: { text: string; width?: number | string; mono?: boolean }) {
  return (
    <bdi className={`clip ${props.mono ? 'mono' : ''}`} style={{ maxWidth: props.width ?? 420 }} title={props.text.slice(0, 2000)}>
      {props.text.slice(0, 400)}
    </bdi>
  );
}
