import { Alert } from 'antd';
import { useSyncExternalStore, type CSSProperties, type ReactNode } from 'react';
import { configs } from '../api/configs';
import { core, type ClusterStatus } from '../api/core';
import { ApiError, reachability } from '../api/http';
import { services } from '../api/services';
import { Clip, Dot, Incomplete, Link, Loaded, PageHead } from '../components/common';
import { moment, number, t, type Text } from '../i18n';
import { idOf, useNamespaces } from '../namespaces';
import { useRemote } from '../remote';
import { useRights } from '../rights';
import { view } from '../router';
import { Findings, urgency } from './overview/Findings';
import { PushPanel } from './overview/PushPanel';

const EVERY_MILLIS = 5000;
const GATHER_MILLIS = 1000;
const MOST_SHOWN = 8;

/** What could not be asked, because this version of the server has no such endpoint or the reader may not. */
async function optional<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (failure) {
    if (failure instanceof ApiError && !failure.unreachable && failure.status !== 401) return undefined;
    throw failure;
  }
}

async function ill(namespaceId: string, signal: AbortSignal) {
  const list = (health: string) => services.list({ namespaceId, health, sort: 'health', page: 1, size: MOST_SHOWN }, signal);
  const [down, protecting] = await Promise.all([list('down'), list('protected')]);
  return { down, protecting };
}

/** Those of all nodes; a node counts those of its own clients only, so a reader without the status of all has no figure. */
function subscriptions(status: ClusterStatus | undefined): number | undefined {
  return status?.nodes.reduce((sum, node) => sum + node.subscriptions, 0);
}

export default function Overview() {
  const { current, all, nameOf } = useNamespaces();
  const { known, admin, allow } = useRights();
  const readsConfigs = allow('readConfigs');
  const readsServices = allow('readServices');
  const remote = useRemote(
    known ? `overview ${current} ${admin} ${readsConfigs} ${readsServices}` : undefined,
    async (signal) => {
      const [state, namespaces, metrics, connections, nodes, ofNamespace, illServices, recent] = await Promise.all([
        core.state(signal),
        optional(core.namespaces(signal)),
        optional(core.metrics(signal)),
        admin ? optional(core.connections(signal)) : undefined,
        admin ? optional(core.clusterStatus(signal)) : undefined,
        readsServices ? optional(services.list({ namespaceId: current, page: 1, size: 1 }, signal)) : undefined,
        readsServices ? optional(ill(current, signal)) : undefined,
        readsConfigs ? optional(configs.list({ namespaceId: current, page: 1, size: MOST_SHOWN, sort: 'modified', order: 'desc' }, signal)) : undefined,
      ]);
      return { state, namespaces, metrics, connections, nodes, serviceCount: readsServices ? ofNamespace?.totalCount : 0, illServices, recent };
    },
    { every: EVERY_MILLIS, gather: GATHER_MILLIS, live: { namespaceId: current, when: () => true } },
  );
  // No event tells that the server is ready again, or that a finding begins or ends.
  const health = useRemote(
    known ? `health ${current} ${admin}` : undefined,
    async (signal) => {
      const [notReady, findings] = await Promise.all([core.notReady(signal), admin ? optional(core.attention(current, signal)) : undefined]);
      return { notReady, findings };
    },
    { every: EVERY_MILLIS },
  );
  const page = {
    ...remote,
    data: remote.data && health.data && { ...remote.data, ...health.data },
    error: remote.error ?? health.error,
    reload: () => {
      remote.reload();
      health.reload();
    },
  };
  const reachable = useSyncExternalStore(reachability.subscribe, reachability.get);
  const latency = useRemote(admin ? 'push latency' : undefined, (signal) => optional(core.pushLatency(signal)), { every: EVERY_MILLIS });
  return (
    <>
      <PageHead title={t('Overview')} />
      <Loaded remote={page}>
        {({ notReady, findings: found, state, namespaces, metrics, connections, nodes, serviceCount, illServices, recent }) => {
          const figure = (name: string) => (typeof metrics?.[name] === 'number' ? (metrics[name] as number) : undefined);
          const configCount = namespaces && (namespaces.find((n) => idOf(n) === current)?.configCount ?? 0);
          const limited = admin && state.isCapacityLimitCheck === 'true' ? namespaces : undefined;
          const isCluster = state['startup_mode'] === 'cluster';
          const silent = [...new Set([connections, nodes, found, latency.data].flatMap((read) => read?.silent ?? []))].sort();
          const attention = { findings: found?.data, services: illServices, namespaces: limited, namespace: current };
          const open = urgency(attention);
          return (
            <>
              <div className="panel" style={{ marginBottom: 16 }}>
                <div className="health-line" role="status">
                  <Dot kind={!reachable ? 'none' : notReady || open.urgent > 0 ? 'bad' : open.all > 0 ? 'warn' : 'good'} />
                  <span>
                    {!reachable
                      ? t('The server does not answer; this is its last known state.')
                      : notReady
                        ? t('The server is not ready: {reason}', { reason: notReady })
                        : t('The server is ready and serves requests.')}{' '}
                    {reachable && open.all > 0 && t('Needs attention: {n}.', { n: number(open.all) })}
                  </span>
                </div>
                <div className="muted" style={{ marginTop: 4 }}>
                  Cairn {state['version'] ?? ''} · {state['startup_mode'] ?? state['server_mode'] ?? ''}
                </div>
              </div>
              <Incomplete nodes={silent} />
              <div className="scopes">
                <Scope name={t('In {namespace}', { namespace: nameOf(current) })} columns={2}>
                  <Figure label="Configurations" value={configCount} to={view('configs', { ns: current })} />
                  <Figure label="Services" value={serviceCount} to={view('services', { ns: current })} />
                </Scope>
                <Scope name={t('All namespaces')} columns={admin ? 4 : 3}>
                  <Figure label="Namespaces" value={namespaces?.length} to="namespaces" />
                  <Figure label="Instances" value={figure('instanceCount')} to="namespaces" />
                  <Figure label="Subscriptions" value={isCluster ? subscriptions(nodes?.data) : figure('subscribeCount')} to="namespaces" />
                  {admin && <Figure label="Connections" value={connections ? connections.data.length : figure('connectionBasedClientCount')} to="connections" />}
                </Scope>
              </div>
              {latency.data && <PushPanel latency={latency.data.data} />}
              <div className="columns">
                <section className="panel">
                  <h2>{t('Needs attention')}</h2>
                  <p className="muted scope">{admin ? t('The server, and what is in {namespace}', { namespace: nameOf(current) }) : t('In {namespace}', { namespace: nameOf(current) })}</p>
                  <Findings {...attention} />
                </section>
                <section className="panel">
                  <h2>{t('Recent changes')}</h2>
                  <p className="muted scope">{t('In {namespace}', { namespace: nameOf(current) })}</p>
                  {(!recent || recent.pageItems.length === 0) && <p className="calm">{t('There are no changes in this namespace yet.')}</p>}
                  <ul className="list-plain">
                    {recent?.pageItems.map((c) => (
                      <li key={`${c.groupName} ${c.dataId}`}>
                        <div className="grow">
                          <Link to={view('configs/one', { ns: current, group: c.groupName, dataId: c.dataId, tab: 'history' })}><Clip text={c.dataId} width={280} /></Link>{' '}
                          <span className="muted"><Clip text={c.groupName} width={140} /></span>
                        </div>
                        <span className="muted nowrap">{moment(c.modifyTime)}</span>
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

/** Figures about the same things, with their name. */
function Scope(props: { name: string; columns: number; children: ReactNode }) {
  return (
    <section style={{ flex: props.columns }} aria-label={props.name}>
      <p className="muted scope"><bdi>{props.name}</bdi></p>
      <div className="figures" style={{ '--columns': props.columns } as CSSProperties}>{props.children}</div>
    </section>
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
