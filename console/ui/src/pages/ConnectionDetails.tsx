import { Alert } from 'antd';
import { core } from '../api/core';
import { ApiError } from '../api/http';
import { Clip, Link, Loaded } from '../components/common';
import { t } from '../i18n';
import { useRemote } from '../remote';
import { view } from '../router';

/** A client without services is unknown to the registry. */
async function orNone<T>(asked: Promise<T[]>): Promise<T[]> {
  try {
    return (await asked) ?? [];
  } catch (failure) {
    if (failure instanceof ApiError && !failure.unreachable && !failure.temporary) return [];
    throw failure;
  }
}

/** The three parts of a listened configuration's one text. */
function keyOf(joined: string): { dataId: string; group: string; namespace: string } {
  const [dataId = '', group = '', namespace = ''] = joined.split('+').map((part) => part.replaceAll('%2B', '+').replaceAll('%25', '%'));
  return { dataId, group, namespace: namespace || 'public' };
}

/** What one client listens to, subscribes to and has registered. */
export function ConnectionDetails(props: { id: string; ip: string; labels: Record<string, string> }) {
  const remote = useRemote(`connection ${props.id}`, async (signal) => {
    const [listens, subscribed, registered] = await Promise.all([
      core.listens(props.ip, signal),
      orNone(core.subscribed(props.id, signal)),
      orNone(core.registered(props.id, signal)),
    ]);
    return { listens: Object.keys(listens[props.id] ?? {}).map(keyOf), subscribed, registered };
  });
  return (
    <Loaded remote={remote}>
      {({ listens, subscribed, registered }) => (
        <dl className="kv">
          <dt>ID</dt>
          <dd className="mono">{props.id}</dd>
          <dt>{t('Labels')}</dt>
          <dd>{Object.entries(props.labels).map(([name, value]) => `${name}=${value}`).join(', ') || '–'}</dd>
          <dt>{t('Listens to')}</dt>
          <dd>
            {listens.length === 0 && '–'}
            {listens.map((key) => (
              <div key={JSON.stringify(key)}>
                <Link to={view('configs/one', { ns: key.namespace, group: key.group, dataId: key.dataId })}><Clip text={key.dataId} /></Link>{' '}
                <span className="muted">{key.group} · {key.namespace}</span>
              </div>
            ))}
          </dd>
          <dt>{t('Subscribes to')}</dt>
          <dd>{subscribed.length === 0 ? '–' : subscribed.map((s) => <div key={`${s.groupName} ${s.serviceName}`}><Clip text={`${s.groupName} · ${s.serviceName}`} /></div>)}</dd>
          <dt>{t('Has registered')}</dt>
          <dd>{registered.length === 0 ? '–' : registered.map((s, index) => <div key={index}><Clip text={`${s.groupName} · ${s.serviceName}`} /></div>)}</dd>
          {remote.error && <Alert type="warning" title={remote.error.message} />}
        </dl>
      )}
    </Loaded>
  );
}
