import { Alert } from 'antd';
import { configs } from '../api/configs';
import { core } from '../api/core';
import { ApiError } from '../api/http';
import { services } from '../api/services';
import { Clip, Dot, Link, Loaded, PageHead } from '../components/common';
import { moment, number, t, type Text } from '../i18n';
import { idOf, useNamespaces } from '../namespaces';
import { useRemote } from '../remote';
import { view } from '../router';

const EVERY_MILLIS = 5000;
const MOST_SERVICES = 200;

/** What could not be asked, because this version of the server has no such endpoint or the reader may not. */
async function optional<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (failure) {
    if (failure instanceof ApiError && !failure.unreachable && failure.status !== 401) return undefined;
    throw failure;
  }
}

export default function Overview() {
  const { current, all } = useNamespaces();
  const remote = useRemote(
    `overview ${current}`,
    async (signal) => {
      const [notReady, state, namespaces, metrics, connections, serviceList, recent] = await Promise.all([
        core.notReady(signal),
        core.state(signal),
        optional(core.namespaces(signal)),
        optional(core.metrics(signal)),
        optional(core.connections(signal)),
        optional(services.list({ namespaceId: current, page: 1, size: MOST_SERVICES }, signal)),
        optional(configs.list({ namespaceId: current, page: 1, size: 8, sort: 'modified', order: 'desc' }, signal)),
      ]);
      return { notReady, state, namespaces, metrics, connections, serviceList, recent };
    },
    { every: EVERY_MILLIS, live: { namespaceId: current, when: () => true } },
  );
  return (
    <>
      <PageHead title={t('Overview')} />
      <Loaded remote={remote}>
        {({ notReady, state, namespaces, metrics, connections, serviceList, recent }) => {
          const figure = (name: string) => (typeof metrics?.[name] === 'number' ? (metrics[name] as number) : undefined);
          const configCount = namespaces?.reduce((sum, n) => sum + n.configCount, 0);
          const ill = (serviceList?.pageItems ?? []).filter((s) => s.ipCount > 0 && s.healthyInstanceCount < s.ipCount);
          const full = (namespaces ?? []).filter((n) => n.quota > 0 && n.configCount >= n.quota * 0.9);
          return (
            <>
              <div className="panel" style={{ marginBottom: 16 }}>
                <div className="health-line" role="status">
                  <Dot kind={notReady ? 'bad' : ill.length > 0 ? 'warn' : 'good'} />
                  {notReady ? t('The server is not ready: {reason}', { reason: notReady }) : t('The server is ready and serves requests.')}
                </div>
                <div className="muted" style={{ marginTop: 4 }}>
                  Cairn {state['version'] ?? ''} · {state['startup_mode'] ?? state['server_mode'] ?? ''}
                </div>
              </div>
              <div className="figures">
                <Figure label="Configurations" value={configCount} to={view('configs', { ns: current })} />
                <Figure label="Services" value={figure('serviceCount') ?? serviceList?.totalCount} to={view('services', { ns: current })} />
                <Figure label="Instances" value={figure('instanceCount')} to={view('services', { ns: current })} />
                <Figure label="Connections" value={connections ? Object.keys(connections).length : figure('connectionBasedClientCount')} to="connections" />
                <Figure label="Subscriptions" value={figure('subscribeCount')} to={view('services', { ns: current })} />
                <Figure label="Namespaces" value={namespaces?.length} to="namespaces" />
              </div>
              <div className="columns">
                <section className="panel">
                  <h2>{t('Needs attention')}</h2>
                  {!notReady && ill.length === 0 && full.length === 0 && <p className="muted" style={{ margin: 0 }}>{t('Nothing needs attention in this namespace.')}</p>}
                  {notReady && <Alert type="error" showIcon title={notReady} />}
                  <ul className="list-plain">
                    {ill.slice(0, 10).map((s) => (
                      <li key={`${s.groupName} ${s.name}`}>
                        <Dot kind={s.healthyInstanceCount === 0 ? 'bad' : 'warn'} />
                        <Link to={view('services/one', { ns: current, group: s.groupName, service: s.name })}><Clip text={s.name} width={260} /></Link>
                        <span className="muted">{t('{n} of {all} healthy', { n: number(s.healthyInstanceCount), all: number(s.ipCount) })}</span>
                      </li>
                    ))}
                    {full.map((n) => (
                      <li key={idOf(n)}>
                        <Dot kind="warn" />
                        <Link to="namespaces">{n.namespaceShowName}</Link>
                        <span className="muted">{t('{n} of {all} configurations used', { n: number(n.configCount), all: number(n.quota) })}</span>
                      </li>
                    ))}
                  </ul>
                </section>
                <section className="panel">
                  <h2>{t('Recent changes')}</h2>
                  {(!recent || recent.pageItems.length === 0) && <p className="muted" style={{ margin: 0 }}>{t('Nothing was changed in this namespace yet.')}</p>}
                  <ul className="list-plain">
                    {recent?.pageItems.slice(0, 8).map((c) => (
                      <li key={`${c.groupName} ${c.dataId}`}>
                        <Link to={view('configs/one', { ns: current, group: c.groupName, dataId: c.dataId, tab: 'history' })}><Clip text={c.dataId} width={280} /></Link>
                        <span className="muted"><Clip text={c.groupName} width={140} /></span>
                        <span className="muted" style={{ marginInlineStart: 'auto', whiteSpace: 'nowrap' }}>{moment(c.modifyTime)}</span>
                      </li>
                    ))}
                  </ul>
                </section>
              </div>
              {all.error && !all.error.unreachable && <Alert style={{ marginTop: 16 }} type="warning" showIcon title={all.error.message} />}
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function Figure(props: { label: Text; value: number | undefined; to: string }) {
  return (
    <Link className="figure" to={props.to}>
      <b>{props.value === undefined ? '–' : number(props.value)}</b>
      <span>{t(props.label)}</span>
    </Link>
  );
}
